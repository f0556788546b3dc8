import AuditLog
import CaptureTestSupport
import PosixSupport
import RigDocuments
import SystemClock
import Testing

@Suite struct AuditDocumentTests {
    /// Reads a log of three records.
    private func withReader(_ body: (AuditReader) async throws -> Void) async throws {
        try await withLog { try await body(try AuditReader(folder: $0)) }
    }

    private func withLog(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let log = try AuditLog(
            folder: folder.path + "/audit", limitBytes: AuditLog.minimumLimit, clock: SystemTimeSource(),
            executor: try ThreadExecutor(name: "audit"))
        for number in 1...3 {
            log.record(
                AuditEntry(
                    .trigger, by: AuditPrincipal(name: "anna", fingerprint: "7f:3a"), subject: "shot \(number)",
                    details: ["selection": "all"]))
        }
        try await log.flush()
        try await body(folder.path + "/audit")
    }

    @Test("Lists records with their numbers as strings, the newest last") func list() async throws {
        try await withReader { reader in
            let read = try ReadDocument(AuditListDocument(try await reader.list(limit: 2)))
            #expect(read.members() == ["more", "records", "unreadable"])
            #expect(
                read.members(of: "records[]") == [
                    "chain", "details", "fingerprint", "kind", "principal", "sequence", "subject", "time",
                ])
            #expect(read.texts("records[].sequence") == ["2", "3"] && read.numbers == ["unreadable"])
        }
    }

    @Test("A page has the newest record first, with the cursor of the next page and what is known of the chain")
    func page() async throws {
        try await withLog { path in
            let reader = AuditBackwardReader(Parts(folder: try AuditFolder(path)))
            let excerpt = try await reader.excerpt(limit: 2)
            let read = try ReadDocument(AuditPageDocument(excerpt, next: "abc"))
            #expect(
                read.members() == ["chain", "next", "records"]
                    && read.members(of: "chain") == ["first", "isIntact", "last", "problems"])
            #expect(
                read.texts("records[].sequence") == ["3", "2"] && read.texts("chain.first") == ["2"]
                    && read.numbers.isEmpty)
            let last = try ReadDocument(
                AuditPageDocument(try await reader.excerpt(before: excerpt.next, limit: 2), next: nil))
            #expect(last.members() == ["chain", "records"] && last.texts("records[].sequence") == ["1"])
        }
    }

    private struct Parts: AuditPartSource {
        var folder: AuditFolder

        func files() throws -> [UInt64] { try folder.files() }

        func byteCount(of file: UInt64) throws -> Int64? { try folder.read(file).map { Int64($0.count) } }

        func read(_ file: UInt64, at offset: Int64) throws -> [UInt8]? {
            try folder.read(file).map { Array($0.dropFirst(Int(offset)).prefix(AuditBackwardReader.partByteCount)) }
        }
    }

    @Test("Has the records that are intact, and the head") func verification() async throws {
        try await withReader { reader in
            let document = AuditVerificationDocument(try await reader.verify(against: nil))
            let read = try ReadDocument(document)
            #expect(
                read.members() == [
                    "head", "intact", "isIntact", "problemCount", "problems", "unfinishedBytes",
                ])
            #expect(read.texts("intact[].first") == ["1"] && read.texts("intact[].last") == ["3"])
            #expect(read.texts("unfinishedBytes") == ["0"] && read.numbers == ["problemCount"])
            #expect(read.texts("head") == [try #require(document.head)])
        }
    }
}
