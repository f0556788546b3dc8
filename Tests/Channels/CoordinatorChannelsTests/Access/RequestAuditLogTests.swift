import AuditLog
import CaptureModel
import CaptureTestSupport
import ChannelSecurity
import Dispatch
import KeyFiles
import PosixSupport
import RigAccess
import RigCore
import RigProtocol
import RigSecurity
import SystemClock
import Testing
import ZeroMQ

@testable import CoordinatorChannels

@Suite(.timeLimit(.minutes(10))) struct RequestAuditLogTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func requestAudit(_ log: AuditLog) throws -> RequestAuditLog {
        RequestAuditLog(
            log: log, refusals: RefusalRecorder(log: log, clock: SystemTimeSource()),
            parts: try AuditParts(folder: folder.path + "/audit", executor: try ThreadExecutor(name: "audit-read")))
    }

    private func log(_ fault: FileFault? = nil) throws -> AuditLog {
        try AuditLog(
            folder: folder.path + "/audit", clock: SystemTimeSource(), executor: try ThreadExecutor(name: "audit"),
            fault: fault)
    }

    private func anna() throws -> Requester {
        Requester(
            try #require(Principal(recorded: "anna", isAuthenticated: true)), [.view],
            RequesterToken(frontEnd: "test", bytes: [1]),
            key: PublicKey(try CurveKeyPair.generate().publicKey), address: IPAddress("192.168.10.7"))
    }

    private let shot = AuditedRequest(kind: .trigger, subject: "a shot", details: ["request": "triggerShot"])

    @Test func `A trigger waits neither for a disk that hangs nor behind those that wait for it`() async throws {
        let disk = DispatchSemaphore(value: 0)
        let log = try log { step, _ in
            guard step == .write else { return nil }
            disk.wait()
            disk.signal()
            return nil
        }
        let audit = try requestAudit(log)
        let anna = try anna()
        for _ in 1...5000 { audit.record(shot, by: anna) }
        #expect(log.dropped > 0, "more than the log keeps wait")
        disk.signal()
        try await log.flush()
        #expect(try await AuditReader(folder: folder.path + "/audit").verify().isIntact)
        try await log.close()
    }

    @Test func `A record has the name and the fingerprint of who asked`() async throws {
        let log = try log()
        let anna = try anna()
        try requestAudit(log).record(shot, by: anna)
        try await log.flush()
        let entry = try #require(
            try await AuditReader(folder: folder.path + "/audit").list(limit: 1).records.first?.entry)
        #expect(entry.kind == .trigger && entry.subject == "a shot" && entry.details == shot.details)
        #expect(entry.principal.name == "anna" && entry.principal.fingerprint == anna.key.map { "\($0)" })
        try await log.close()
    }

    @Test func `A flood of refused requests becomes one record for each request and requester`() async throws {
        let log = try log()
        let audit = try requestAudit(log)
        let anna = try anna()
        for _ in 1...1000 {
            audit.refuse(.triggerShot, to: anna)
            audit.refuse(.listKeys, to: anna)
        }
        try await log.flush()
        let records = try await AuditReader(folder: folder.path + "/audit").list(limit: 9).records
        #expect(records.map { $0.entry.details["reason"] } == ["listKeys not permitted", "triggerShot not permitted"])
        #expect(records.allSatisfy { $0.entry.principal.name == "anna" && $0.entry.kind == .refusal })
        #expect(records.allSatisfy { $0.entry.details["address"] == "192.168.10.7" })
        try await log.close()
    }
}

/// The audit log through a coordinator's client channel.
@Suite(.timeLimit(.minutes(10))) struct AuditChannelTests {
    private func part(
        _ bench: KeyedBench, _ socket: DealerSocket, _ file: UInt64, at offset: Int64 = 0
    ) async throws -> WireClientReply {
        var read = WireReadAudit()
        (read.file, read.offset) = (file, offset)
        return try await bench.ask(socket, .readAudit(read))
    }

    @Test func `An admin reads the log as it is, and others are refused and recorded`() async throws {
        let bench = try await KeyedBench()
        let wall = try await bench.dealer(try await bench.admit("wall", .viewer), .client)
        let refused = try await part(bench, wall, 0)
        #expect(refused.failure.problem.code == "notPermitted")

        let admin = try await bench.dealer(try AdminKey(in: bench.adminFolder).load().pair, .client)
        #expect(try await part(bench, admin, 0).auditPart.files == [1])
        // The refusal is recorded soon, and not before it is answered.
        var text = ""
        while !text.contains("readAudit not permitted") {
            text = String(decoding: try await part(bench, admin, 1).auditPart.data, as: UTF8.self)
        }
        #expect(text.hasPrefix("{\"audit\":1,") && text.contains("\"principal\":\"wall\""))
        #expect(text.contains("\"kind\":\"start\""))
        #expect(try await part(bench, admin, 9).failure.problem.code == "fileLost")
        #expect(try await part(bench, admin, 1, at: -1).failure.problem.code == "protocolViolation")
        await bench.end()
    }

    @Test func `The log ends with the end of the coordinator`() async throws {
        let bench = try await KeyedBench()
        let folder = bench.adminFolder + "/../audit"
        await bench.end()
        let records = try await AuditReader(folder: folder).list(limit: 1).records
        #expect(records.first?.entry.kind == .end)
    }
}
