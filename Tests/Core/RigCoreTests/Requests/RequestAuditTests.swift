import CaptureModel
import CaptureTestSupport
import Foundation
import PosixSupport
import RigSecurity
import RigTestSupport
import Testing

@testable import RigAccess
@testable import RigCore

/// What is recorded of the requests of clients.
@Suite(.timeLimit(.minutes(10))) struct RequestAuditTests {
    private let audit = MemoryRequestAudit()

    private func record(_ kind: RequestKind) throws -> AuditedRequest? {
        let anna = Requester(.unnamed, [], Samples.requester())
        return try RequestPermissionTests().commands().first { $0.0 == kind }?.1.audited(by: anna)
    }

    @Test func `The page on the audit log says of every request how it is recorded`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../docs/audit.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        for kind in RequestKind.allCases {
            let row = "\n| `\(kind.rawValue)` | " + (try record(kind).map { "`\($0.kind.rawValue)`" } ?? "–") + " |"
            #expect(text.contains(row), "docs/audit.md needs this row: \(row)")
        }
    }

    @Test func `Every command is recorded before its answer, except for those that read or change keys`() async throws {
        let bench = try await ServiceBench(folder: try TemporaryFolder(), audit: audit)
        let anna = try #require(Principal(claimed: "anna@studio-1"))
        for (kind, command) in try RequestPermissionTests().commands() {
            let before = audit.recorded.count
            _ = await bench.answers(to: command, by: anna).value
            let new = audit.recorded.dropFirst(before)
            let expected = try record(kind)
            #expect(new.map(\.request) == [expected].compactMap(\.self), "\(kind)")
            #expect(new.allSatisfy { $0.requester.principal == anna && $0.request.details["request"] == kind.rawValue })
        }
        await bench.bench.end()
    }

    @Test func `Records subject and details of a request`() throws {
        let forgotten = try record(.forgetDevices)
        #expect(forgotten?.subject == "north/cam" && forgotten?.kind == .deletion)
        let shot = try record(.triggerShot)
        #expect(shot?.subject == "\(Samples.shot())")
        #expect(shot?.details == ["request": "triggerShot", "selection": "devices north/cam; all"])
        #expect(try record(.setControls)?.details["controls"] == "gain=1")
        #expect(try record(.deleteShot)?.details == ["request": "deleteShot", "onlyCopy": "allowed"])
        #expect(try record(.editShot)?.details["title"] == "a title")
        #expect(try record(.editShot)?.details["rejected"] == "north/cam")
    }

    @Test func `A query is not recorded`() async throws {
        let bench = try await ServiceBench(folder: try TemporaryFolder(), audit: audit)
        for (_, query) in RequestPermissionTests().queries { _ = await bench.answer(to: query) }
        #expect(audit.recorded.isEmpty && audit.refused.isEmpty)
        await bench.bench.end()
    }

    @Test func `A repeat is recorded once for each requester, and a new request with the same id again`() throws {
        let auditor = RequestAuditor(audit)
        let (anna, ben) = (
            try #require(Principal(claimed: "anna@studio-1")), try #require(Principal(claimed: "ben@studio-2"))
        )
        func request(_ principal: Principal) -> Requester { Requester(principal, [], Samples.requester()) }
        let device = try DeviceID("north/cam")
        func turn(_ command: DeviceCommand) -> RigCommand {
            .device(DeviceRequest(device: device, command: command, id: 5))
        }
        for _ in 1...3 {
            auditor.record(turn(.startSession), by: request(anna))
            auditor.record(turn(.stopSession(force: true)), by: request(anna))
            auditor.record(turn(.startSession), by: request(ben))
        }
        #expect(audit.recorded.count == 3)
        for _ in 1...3 { auditor.record(.stopTake(StopTakeRequest(take: nil)), by: request(anna)) }
        #expect(audit.recorded.count == 6, "each may concern another take")
    }

    @Test func `A repeat of a command about keys through a gateway is recorded once`() throws {
        let auditor = RequestAuditor(audit)
        let anna = try #require(Principal(claimed: "anna@studio-1"))
        let session = Session(
            secret: TokenHash(of: JoinToken()), kind: .browser, label: "browser",
            maker: try #require(PublicKey(bytes: Array(1...32))), permissions: [.view],
            issuedAt: WallTime(nanoseconds: 0), expiresAt: WallTime(nanoseconds: 1), grants: nil)
        let forwarding = Requester.Forwarding(gateway: try #require(Principal(claimed: "web")), session: session)
        func request(_ number: UInt64?) -> Requester {
            var requester = Requester(anna, [], Samples.requester(), forwarding: forwarding)
            requester.requestNumber = number
            return requester
        }
        for _ in 1...3 { auditor.record(.keys(.revoke("emil")), by: request(7)) }
        #expect(audit.recorded.map(\.request.subject) == ["emil"])
        auditor.record(.keys(.revoke("emil")), by: request(8))
        #expect(audit.recorded.count == 2)
        for _ in 1...2 { auditor.record(.keys(.revoke("emil")), by: request(nil)) }
        #expect(audit.recorded.count == 4, "without a number a repeat is not recognized")
    }

    @Test func `Repeats of the newest requests are recognized`() {
        var repeated = RepeatedCommands()
        let count = RepeatedCommands.limit
        for number in 0..<(count + 1) where !repeated.note(number) { Issue.record("\(number)") }
        for number in 1...count where repeated.note(number) { Issue.record("\(number)") }
        let isForgotten = repeated.note(0)
        #expect(isForgotten)
    }

    @Test func `A refused request is counted with its kind and its requester, and not recorded as carried out`()
        async throws
    {
        let bench = try await ServiceBench(folder: try TemporaryFolder(), audit: audit)
        _ = await bench.answers(to: .trigger(bench.bench.order()), with: [.view]).value
        _ = await bench.answer(to: .keys, with: [.view])
        #expect(audit.refused == [.triggerShot, .listKeys] && audit.recorded.isEmpty)
        await bench.bench.end()
    }

    @Test func `Without a log, reading it is refused, and triggers work`() async throws {
        let bench = try await ServiceBench(folder: try TemporaryFolder())
        let read = await bench.answer(to: .audit(AuditRange(file: nil, offset: 0, count: 1)))
        #expect(read?.refusal?.code == .unsupportedSettings)
        let trigger = await bench.answers(to: .trigger(bench.bench.order())).value
        #expect(trigger.last?.refusal?.code == .emptySelection)
        await bench.bench.end()
    }
}

/// An audit log that only remembers.
final class MemoryRequestAudit: RequestAudit {
    struct Entry: Sendable {
        var request: AuditedRequest
        var requester: Requester
    }

    private let state = Locked((recorded: [Entry](), refused: [RequestKind]()))

    var recorded: [Entry] { state.withLock { $0.recorded } }
    var refused: [RequestKind] { state.withLock { $0.refused } }

    func record(_ request: AuditedRequest, by requester: Requester) {
        state.withLock { $0.recorded.append(Entry(request: request, requester: requester)) }
    }

    func refuse(_ kind: RequestKind, to requester: Requester) {
        state.withLock { $0.refused.append(kind) }
    }

    func read(_ range: AuditRange) -> AuditPart { AuditPart(range: range, bytes: [], byteCount: 0, files: []) }
}
