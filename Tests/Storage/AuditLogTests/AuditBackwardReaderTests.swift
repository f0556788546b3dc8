import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing

@testable import AuditLog

/// Reads parts of a folder.
private struct PartedFolder: AuditPartSource {
    let folder: AuditFolder

    init(_ path: String) throws { folder = try AuditFolder(path) }

    func files() async throws -> [UInt64] { try folder.files() }

    func byteCount(of file: UInt64) async throws -> Int64? { try folder.read(file, at: 0, count: 0)?.byteCount }

    func read(_ file: UInt64, at offset: Int64) async throws -> [UInt8]? {
        try folder.read(file, at: offset, count: AuditBackwardReader.partByteCount)?.bytes
    }
}

@Suite struct AuditBackwardReaderTests {
    let stage: AuditStage

    init() throws {
        stage = try AuditStage()
    }

    private func reader() throws -> AuditBackwardReader { AuditBackwardReader(try PartedFolder(stage.path)) }

    /// Every excerpt, one after another.
    private func excerpts(limit: Int, _ filter: AuditFilter = AuditFilter()) async throws -> [AuditExcerpt] {
        let reader = try reader()
        var excerpts = [try await reader.excerpt(limit: limit, filter)]
        while let next = excerpts.last?.next, excerpts.count < 1000 {
            excerpts.append(try await reader.excerpt(before: next, limit: limit, filter))
        }
        return excerpts
    }

    /// Writes a log of many files.
    private func write(_ count: Int, limitBytes: Int64 = 1 << 20) async throws {
        let log = try stage.open(limitBytes: limitBytes)
        for number in 1...count {
            log.record(
                AuditEntry(
                    number % 10 == 0 ? .refusal : .trigger, by: AuditPrincipal(name: "anna", fingerprint: ""),
                    subject: "shot \(number)", details: ["note": String(repeating: "x", count: number % 200)]))
            if number % 500 == 0 { try await log.flush() }
        }
        try await log.close()
    }

    @Test(arguments: [1, 7, 50, 1000])
    func `Excerpts follow each other without a gap, across files, and each record is verified once`(limit: Int)
        async throws
    {
        let count = limit == 1 ? 300 : 2000
        try await write(count)
        let excerpts = try await excerpts(limit: limit)
        let files = try stage.files()
        #expect(limit == 1 || files.count > 3)
        #expect(excerpts.flatMap(\.records).map(\.sequence) == (1...UInt64(count)).reversed())
        #expect(excerpts.allSatisfy { $0.isIntact && $0.records.count <= limit })
        var older: UInt64 = UInt64(count) + 1
        for read in excerpts.compactMap(\.read) {
            #expect(read.upperBound == older - 1)
            older = read.lowerBound
        }
        #expect(older == 1)
    }

    @Test func `A filter leaves records out and reads no more than a few parts at a time`() async throws {
        try await write(20_000, limitBytes: 64 << 20)
        let excerpts = try await excerpts(limit: 100, AuditFilter(kinds: [.refusal], text: "SHOT 1"))
        let found = excerpts.flatMap(\.records).map(\.entry.subject)
        let expected = stride(from: 20_000, through: 10, by: -10).map { "shot \($0)" }.filter { $0.contains("shot 1") }
        #expect(found == expected)
        #expect(excerpts.allSatisfy { $0.isIntact })
        let none = try await self.excerpts(limit: 100, AuditFilter(principal: "berta"))
        #expect(none.count > 1 && none.allSatisfy { $0.records.isEmpty && $0.isIntact })
        #expect(none.compactMap(\.read).reduce(0) { $0 + $1.count } == 20_000)
    }

    @Test func `Finds every change of a single byte, as a verification of the whole log does`() async throws {
        let log = try stage.open()
        for number in 1...3 { try await log.commit(.sample(number)) }
        try await log.close()
        let file = "000000000001.audit"
        let whole = try stage.bytes(file)
        for index in TestExtent.some(60, of: whole.indices) {
            var changed = whole
            changed[index] ^= 1
            try stage.put(changed, as: file)
            for limit in [1, 2, 10] {
                let excerpts = try await excerpts(limit: limit)
                #expect(!excerpts.allSatisfy { $0.isIntact }, "byte \(index), limit \(limit)")
                #expect(excerpts.count < 10)
            }
        }
    }

    @Test func `Says where files are missing and where a new chain begins`() async throws {
        try await write(2000)
        let files = try stage.files()
        let removed = try stage.bytes(files[1])
        try stage.remove(files[1])
        let gap = try await excerpts(limit: 1000).flatMap(\.problems)
        #expect(gap.map(\.reason) == [.missingRecords])
        #expect(gap.first?.file == files[0] && gap.first?.description.contains("missing") == true)
        var damaged = removed
        damaged[damaged.count / 2] ^= 1
        try stage.put(damaged, as: files[1])
        let problems = try await excerpts(limit: 1000).flatMap(\.problems)
        #expect(!problems.isEmpty && problems.allSatisfy { $0.file == files[1] })
    }

    @Test func `The oldest file that is left vouches for itself`() async throws {
        try await write(2000)
        let files = try stage.files()
        try stage.remove(files[0])
        let excerpts = try await excerpts(limit: 1000)
        #expect(excerpts.allSatisfy { $0.isIntact } && excerpts.last?.next == nil)
        let oldest = try #require(excerpts.last?.records.last?.sequence)
        #expect(AuditSegment(first: oldest).name == files[1])
    }

    @Test func `A record that is being written is left for later`() async throws {
        let log = try stage.open()
        for number in 1...3 { try await log.commit(.sample(number)) }
        try await log.close()
        let file = "000000000001.audit"
        let whole = try stage.bytes(file)
        try stage.put(Array(whole.dropLast(20)), as: file)
        let excerpt = try await reader().excerpt(limit: 10)
        #expect(excerpt.isIntact && excerpt.records.map(\.sequence) == [2, 1] && excerpt.next == nil)
    }

    @Test func `A place that is not the end of a line is refused, and one that is removed is the end`() async throws {
        try await write(20)
        for end in [Int64.min, -1, 0, 5, 1 << 40] {
            let error = await #expect(throws: AuditError.self) {
                try await reader().excerpt(before: AuditPosition(file: 1, end: end), limit: 5)
            }
            #expect(error?.code == .invalidRequest)
        }
        let gone = try await reader().excerpt(before: AuditPosition(file: 7, end: 300), limit: 5)
        #expect(gone == AuditExcerpt())
    }

    @Test func `A log without records is intact`() async throws {
        try await stage.open().close()
        let excerpt = try await reader().excerpt(limit: 5)
        #expect(excerpt == AuditExcerpt())
    }
}
