import AuditLog
import CaptureTestSupport
import Foundation
import PosixSupport
import SystemClock
import Testing

@testable import CapctlCommands
@testable import RigDocuments

/// What `capctl audit` says of a log and with which status it ends.
@Suite struct AuditReportTests {
    private let folder: TemporaryFolder
    private let log: AuditLog

    init() throws {
        folder = try TemporaryFolder()
        log = try AuditLog(
            folder: folder.path + "/audit", limitBytes: AuditLog.minimumLimit, clock: SystemTimeSource(),
            executor: try ThreadExecutor(name: "audit"))
    }

    private var file: String { folder.path + "/audit/000000000001.audit" }

    private func write(_ count: Int) async throws -> AuditHead {
        for number in 1...count {
            log.record(
                AuditEntry(
                    .trigger, by: AuditPrincipal(name: "anna", fingerprint: "7f:3a"), subject: "shot \(number)",
                    details: ["selection": String(repeating: "x", count: 250)]))
            if number % 1000 == 0 { try await log.flush() }
        }
        try await log.flush()
        return await log.head
    }

    private func report(_ head: AuditHead? = nil) async throws -> AuditVerificationReport {
        AuditVerificationReport(found: try await AuditReader(folder: folder.path + "/audit").verify(against: head))
    }

    @Test func `An intact log has a head to keep, which matches later`() async throws {
        let head = try await write(3)
        let report = try await report()
        #expect(report.status == .complete && report.table == "intact: records 1 to 3\nhead: \(head)\n")
        _ = try await write(2)
        let later = try await self.report(head)
        #expect(later.status == .complete && later.table.contains("compared with the head: matches"))
        #expect(later.document.comparison == "matches" && later.document.isIntact)
    }

    @Test func `A changed byte is found with file and line, and then there is no head`() async throws {
        _ = try await write(3)
        var bytes = try folder.read("audit/000000000001.audit")
        bytes[bytes.count - 20] ^= 1
        try Data(bytes).write(to: URL(filePath: file))
        let report = try await report()
        #expect(report.status == .failed)
        #expect(report.table.contains("damaged: 000000000001.audit:4: ") && !report.table.contains("head:"))
        #expect(report.document.problems.map(\.line) == [4] && report.document.head == nil)
    }

    @Test func `Newest records that were removed are told by a head`() async throws {
        let head = try await write(3)
        let bytes = try folder.read("audit/000000000001.audit")
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        try Data((lines.dropLast().joined(separator: [UInt8(ascii: "\n")]) + [10])).write(to: URL(filePath: file))
        #expect(try await report().status == .complete)
        let report = try await report(head)
        #expect(report.status == .failed && report.table.contains("cut back") && report.table.contains("record 2"))
    }

    @Test func `A head that the bound has overtaken says nothing`() async throws {
        let head = try await write(1)
        _ = try await write(3000)
        let report = try await report(head)
        #expect(report.status == .partial && report.table.contains("too old") && report.table.contains("head: 3001-"))
    }

    @Test func `Lists the newest record last, with who caused it and the details`() async throws {
        _ = try await write(3)
        let page = try await AuditReader(folder: folder.path + "/audit").list(limit: 2)
        let report = AuditListReport(page: page)
        let lines = report.table.split(separator: "\n")
        #expect(lines.count == 3 && lines[1].contains("shot 2") && lines[2].contains("shot 3"))
        #expect(lines[2].contains("anna") && lines[2].contains("selection=xxx"))
        #expect(report.document.records.map(\.sequence.description) == ["2", "3"] && report.document.more)
        #expect(report.document.records[0].fingerprint == "7f:3a")
    }
}
