import CaptureModel
import PosixSupport
import Testing

@testable import AuditLog

/// Reads a log in small parts, as a program on another machine does.
private struct PartedLog: AuditSource {
    let parts: AuditParts
    let name = "parts"

    func files() async throws -> [UInt64] { try await parts.part(of: nil, at: 0, count: 0).files }

    func read(_ file: UInt64) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let part = try await parts.part(of: file, at: Int64(bytes.count), count: 1000)
            bytes += part.bytes
            if Int64(bytes.count) >= part.byteCount { return bytes }
        }
    }
}

@Suite struct AuditPartsTests {
    let stage: AuditStage

    init() throws {
        stage = try AuditStage()
    }

    private func parts() throws -> AuditParts {
        try AuditParts(folder: stage.path, executor: try ThreadExecutor(name: "audit-read"))
    }

    @Test func `Verifies a log that is read in parts, also while it is written`() async throws {
        let log = try stage.open()
        for number in 1...200 { log.record(.sample(number)) }
        try await log.flush()
        let reader = AuditReader(PartedLog(parts: try parts()))
        for number in 201...220 {
            log.record(.sample(number))
            let found = try await reader.verify()
            #expect(found.problems.isEmpty && found.intact.count == 1)
        }
        try await log.flush()
        #expect(try await reader.verify().head == log.head)
        #expect(try await reader.list(limit: 1).records.first?.sequence == 220)
    }

    @Test func `Lists the files, and says which one is not there`() async throws {
        let log = try stage.open()
        try await log.commit(.sample(1))
        let parts = try parts()
        #expect(try await parts.part(of: nil, at: 0, count: 10).files == [1])
        let part = try await parts.part(of: 1, at: 0, count: 10)
        #expect(part.bytes == Array("{\"audit\":1".utf8))
        #expect(try await parts.part(of: 1, at: 1 << 40, count: 10).bytes.isEmpty)
        let error = await #expect(throws: AuditError.self) { try await parts.part(of: 7, at: 0, count: 10) }
        #expect(error?.code == .notFound && error?.description.contains("record 7") == true)
    }

    @Test func `Lists records from a time on`() async throws {
        let log = try stage.open()
        try await log.commit(.sample(1))
        let time = try #require(try await stage.reader().list(limit: 1).records.first?.time)
        let later = "2999-01-01T00:00:00.000Z"
        #expect(try await stage.reader().list(limit: 9, AuditFilter(since: time)).records.count == 1)
        #expect(try await stage.reader().list(limit: 9, AuditFilter(since: later)).records.isEmpty)
    }
}
