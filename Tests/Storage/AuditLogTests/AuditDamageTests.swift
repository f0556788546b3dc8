import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import Testing

@testable import AuditLog

@Suite struct AuditDamageTests {
    let stage: AuditStage
    let file = "000000000001.audit"

    init() throws {
        stage = try AuditStage()
    }

    /// The bytes of a log of three records.
    private func threeRecords() async throws -> [UInt8] {
        let log = try stage.open()
        for number in 1...3 { try await log.commit(.sample(number)) }
        return try stage.bytes(file)
    }

    @Test func `Finds every change of a single byte`() async throws {
        let whole = try await threeRecords()
        for index in TestExtent.some(100, of: whole.indices) {
            for mask in [UInt8(1), 0x20] {
                var changed = whole
                changed[index] ^= mask
                try stage.put(changed, as: file)
                let found = try await stage.reader().verify()
                let line = whole[..<index].count { $0 == UInt8(ascii: "\n") } + 1
                #expect(!found.isIntact, "byte \(index)")
                let place = try #require(found.problems.first?.place)
                // A changed chain hash, also one in the header, is found at the record that should follow from it.
                #expect(place.file == file && (line...(line + 1)).contains(place.line), "byte \(index)")
            }
        }
    }

    @Test func `Cuts off what a crash left of a record, at any length, and says how many bytes`() async throws {
        let first = try stage.open()
        for _ in 1...2 { try await first.commit(AuditEntry(.admission, subject: "")) }
        try await first.close()
        let whole = try stage.bytes(file)
        let ends = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        for length in 0...whole.count where length < ends[0] + 3 || length >= ends[1] {
            try stage.clear()
            try stage.put(Array(whole[..<length]), as: file)
            let complete = max(0, ends.count { $0 <= length } - 1)
            let torn = length - (ends.last { $0 <= length } ?? 0)
            if length >= ends[0] { #expect(try await stage.reader().verify().unfinishedBytes == torn) }
            let log = try stage.open()
            try await log.commit(.sample(9))
            try await log.close()
            let page = try await stage.reader().list(limit: 9)
            let expected = Array(repeating: AuditKind.admission, count: complete) + (torn > 0 ? [.recovered] : [])
            #expect(page.records.reversed().map(\.entry.kind) == expected + [.admission], "length \(length)")
            #expect(torn == 0 || page.records[1].entry.details == ["bytes": "\(torn)"])
            #expect(try await stage.reader().verify().isIntact, "length \(length)")
        }
    }

    @Test func `Keeps a damaged file, reports it, and begins a new chain behind it`() async throws {
        let whole = try await threeRecords()
        for index in stride(from: 0, to: whole.count, by: 7) + [whole.count - 1] {
            try stage.clear()
            var changed = whole
            changed[index] ^= 1
            try stage.put(changed, as: file)
            var log: AuditLog? = try stage.open()
            let head = try await log?.commit(.sample(4))
            try await log?.close()
            log = try stage.open()
            try await log?.commit(.sample(5))
            #expect(try stage.bytes(file) == changed)
            #expect(try stage.files().count == 2)
            let found = try await stage.reader().verify(against: head)
            let restart = try #require(head?.sequence) - 1
            #expect(found.intact.last == restart...(restart + 2) && restart > 3)
            #expect(found.problems.first?.place.file == file && found.problems.last?.reason == .newChain)
            #expect(found.comparison == .matches && !found.isIntact)
            #expect(try await stage.reader().list(limit: 3).records.last?.entry.kind == .restarted)
        }
    }

    @Test func `Goes on behind a file that the disk cannot read`() async throws {
        _ = try await threeRecords()
        stage.disk.fail(.every(.read, code: EIO))
        let log = try stage.open()
        stage.disk.fail(nil)
        try await log.commit(.sample(4))
        #expect(try await stage.kinds() == [.admission, .admission, .admission, .restarted, .admission])
    }

    @Test func `Finds the removal of the newest records by an exported head`() async throws {
        let whole = try await threeRecords()
        let head = try #require(try await stage.reader().head())
        let ends = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        for kept in 0...2 {
            try stage.put(Array(whole[..<ends[kept]]), as: file)
            #expect(try await stage.reader().verify().isIntact, "the rest is a log")
            #expect(try await stage.reader().verify(against: head).comparison == .cutBack(newest: UInt64(kept)))
            let log = try stage.open()
            for number in 7...9 { try await log.commit(.sample(number)) }
            #expect(try await stage.reader().verify().isIntact)
            #expect(try await stage.reader().verify(against: head).comparison == .rewritten)
        }
        try stage.put(whole, as: file)
        #expect(try await stage.reader().verify(against: head).isIntact)
        try stage.clear()
        #expect(try await stage.reader().verify(against: head).comparison == .cutBack(newest: 0))
        #expect(try await stage.reader().head() == nil)
    }

    @Test func `Gives no head if the last line is not a record`() async throws {
        var changed = try await threeRecords()
        changed[changed.count - 2] ^= 1
        try stage.put(changed, as: file)
        let error = await #expect(throws: AuditError.self) { try await stage.reader().head() }
        #expect(error?.code == .damaged)
    }

    @Test func `Finds a file that was removed between others`() async throws {
        var log: AuditLog? = try stage.open()
        let details = Dictionary(
            uniqueKeysWithValues: (1...11).map { ("\($0)", String(repeating: "y", count: 250)) })
        for _ in 1...200 { log?.record(AuditEntry(.change, subject: "s", details: details)) }
        try await log?.close()
        log = nil
        let files = try stage.files()
        try #require(files.count >= 3)
        try FileManager.default.removeItem(atPath: "\(stage.path)/\(files[1])")
        let found = try await stage.reader().verify()
        #expect(found.problems == [AuditProblem(place: AuditPlace(file: files[2], line: 1), reason: .missingRecords)])
        #expect(found.intact.count == 2)
    }

    @Test func `Reads an exported head back, and refuses one with a typing error`() async throws {
        _ = try await threeRecords()
        let text = try #require(try await stage.reader().head()).description
        #expect(AuditHead(" \(text)\n")?.description == text)
        for index in text.indices {
            var wrong = text
            wrong.replaceSubrange(index...index, with: text[index] == "1" ? "2" : "1")
            #expect(AuditHead(wrong) == nil)
            #expect(AuditHead(String(text[..<index])) == nil)
        }
    }

    @Test func `Says that there is no log`() {
        let error = #expect(throws: AuditError.self) { try AuditReader(folder: stage.path + "/none") }
        #expect(error?.code == .notFound)
    }

    @Test(.enabled(if: ExternalTool.isExpected("python3")))
    func `Another program verifies the chain by the documented format`() async throws {
        var log: AuditLog? = try stage.open()
        for number in 1...500 { log?.record(.sample(number)) }
        try await log?.close()
        log = nil
        log = try stage.open()
        let head = try #require(try await log?.commit(.sample(501)))
        let script = try stage.folder.write(Array(Self.verifier.utf8), as: "verify.py")
        let outcome = try ExternalTool.run("python3", script, stage.path)
        #expect(outcome.status == 0 && outcome.output == "1 501 \(head.hash)\n", "\(outcome.output)")
        var changed = try stage.bytes(file)
        changed[changed.count / 2] ^= 1
        try stage.put(changed, as: file)
        #expect(try ExternalTool.run("python3", script, stage.path).status != 0)
    }

    /// Written from docs/audit.md alone.
    private static let verifier = #"""
        import hashlib, json, pathlib, re, sys
        previous = sequence = first = None
        for path in sorted(pathlib.Path(sys.argv[1]).glob("*.audit")):
            header, *lines = path.read_bytes().decode("utf-8").split("\n")
            assert lines.pop() == "", "unfinished"
            header = json.loads(header)
            assert header["audit"] == 1
            if previous is None:
                first, sequence, previous = header["first"], header["first"] - 1, header["previous"]
            assert (header["first"], header["previous"]) == (sequence + 1, previous)
            for line in lines:
                found = re.fullmatch(r'\{"chain":"([0-9a-f]{64})",(.*)', line)
                content = "{" + found[2]
                previous = hashlib.sha256((previous + content).encode("utf-8")).hexdigest()
                assert found[1] == previous, line
                sequence += 1
                record = json.loads(content)
                assert record["sequence"] == sequence
                assert record["details"]["note"] == 'ä "\\\n\x7f\x9b'
        print(first, sequence, previous)
        """#
}
