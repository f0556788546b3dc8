import CaptureTestSupport
import PosixSupport
import Testing
import ZeroMQ

@testable import KeyFiles

@Suite struct ContentTests {
    private static let pair = (
        public: "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID", secret: "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
    )

    private func read(_ text: String) throws -> CurveKeyPair {
        try KeyFile.pair(in: Array(text.utf8), of: "/k")
    }

    private func keys(_ publicKey: String = pair.public, _ secretKey: String = pair.secret) -> String {
        "curve\n    public-key = \"\(publicKey)\"\n    secret-key = \"\(secretKey)\"\n"
    }

    /// The key pair is the client's in RFC 26's test vectors.
    @Test func `Reads a file with nothing but the keys, whose text forms other implementations agree on`() throws {
        #expect(try read(keys()).publicKey.description == Self.pair.public)
    }

    @Test(arguments: [
        "#   ****  Generated on 2026 by pyzmq  ****\n\nmetadata\n    email: a@b\n    public-key: x\n",
        "metadata\n\tcaprig-key-version = 1\n\n   # remark\n", "other\n    public-key = \"x\"\n    anything\n",
    ])
    func `Comments, empty lines, other sections and metadata may stand before the keys`(text: String) throws {
        #expect(try read(text + keys()).publicKey.description == Self.pair.public)
    }

    @Test func `Lines may end as on other systems, and quotes may be single or missing`() throws {
        #expect(try read(keys().replacing("\n", with: "\r\n")).publicKey.description == Self.pair.public)
        #expect(try read(keys().replacing("\"", with: "'")).publicKey.description == Self.pair.public)
        #expect(try read(keys().replacing("\"", with: "")).publicKey.description == Self.pair.public)
    }

    @Test(arguments: [
        ("", KeyFileError.Code.incomplete), ("\n", .incomplete), ("curve\n", .incomplete), ("curve", .incomplete),
        ("curve\n    public-key = \"\(pair.public)\"\n", .incomplete),
        ("curve\n    secret-key = \"\(pair.secret)\"\n", .incomplete),
        ("    public-key = \"\(pair.public)\"\n    secret-key = \"\(pair.secret)\"\n", .incomplete),
        ("\u{0}\n", .damaged), ("curve\n    key\n", .damaged), ("curve\n    other-key = \"x\"\n", .damaged),
        ("curve\n    public-key = \"x\"\n", .damaged), ("curve\n    public-key =\n", .damaged),
        ("metadata\n    caprig-key-version = one\ncurve\n", .damaged),
        ("metadata\n    caprig-key-version = 0\ncurve\n", .damaged),
        ("metadata\n    caprig-key-version = 2\ncurve\n", .laterVersion),
        ("metadata\n    caprig-key-version = 99999999999999999999\ncurve\n", .damaged),
    ])
    func `Anything else is refused with its kind`(text: String, code: KeyFileError.Code) throws {
        let error = try #require(throws: KeyFileError.self) { try read(text) }
        #expect(error.code == code && error.subject == "/k")
    }

    @Test func `A key that is there twice is refused`() throws {
        let error = try #require(throws: KeyFileError.self) { try read(keys() + keys()) }
        #expect(error.code == .damaged && error.reason.contains("line 5"))
    }

    @Test func `Bytes that are not text are refused`() throws {
        let error = try #require(throws: KeyFileError.self) {
            try KeyFile.pair(in: [0xFF, 0xFE, 0x0A], of: "/k")
        }
        #expect(error.code == .damaged)
    }

    @Test func `A file of a later version is not called damaged, and the remedy is that version`() throws {
        let error = try #require(throws: KeyFileError.self) {
            try read("metadata\n    caprig-key-version = 2\n" + keys())
        }
        #expect(error.reason.contains("version is 2") && error.remedy.contains("install"))
        #expect(error.command == nil)
    }

    // What a rule decides depends on owner, group and mode only.
    @Test(
        arguments: [
            // owner, group, permissions, is a folder, refusal
            (1000, 1000, 0o600, false, nil), (0, 0, 0o600, false, nil), (0, 50, 0o640, false, nil),
            (1001, 50, 0o640, false, nil), (1001, 1001, 0o600, false, .foreignOwner),
            (1000, 1000, 0o640, false, .wrongGroup),
            (1000, 50, 0o641, false, .looseMode), (1000, 50, 0o660, false, .looseMode),
            (1000, 1000, 0o644, false, .looseMode),
            (1000, 50, 0o750, true, nil), (1000, 50, 0o2750, true, nil), (1000, 50, 0o770, true, .looseMode),
            (1000, 1000, 0o750, true, .wrongGroup), (1000, 50, 0o751, true, .looseMode),
            (1002, 0, 0o700, true, .foreignOwner),
        ] as [(UInt32, UInt32, UInt32, Bool, KeyFileError.Code?)])
    func `A file for a group is accepted by its owner, group and mode`(
        owner: UInt32, group: UInt32, permissions: UInt32, isFolder: Bool, refusal: KeyFileError.Code?
    ) throws {
        let rule = PrivacyRule(audience: .group("g"), group: 50, user: 1000)
        let status = FileStatus(
            owner: owner, group: group, permissions: permissions, kind: isFolder ? .folder : .file, byteCount: 0)
        var found: KeyFileError.Code?
        do {
            try rule.check(status, "read", "/k")
        } catch {
            found = error.code
        }
        #expect(found == refusal)
    }

    @Test(arguments: [
        ("/a/b.key_secret", "/a/b.key_secret"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''"), ("ü", "'ü'"),
        ("$x", "'$x'"),
    ])
    func `A shell reads a quoted text as one word`(text: String, quoted: String) throws {
        #expect(shellQuoted(text) == quoted)
        #expect(try ExternalTool.run("sh", "-c", "printf %s \(quoted)").output == text)
    }
}
