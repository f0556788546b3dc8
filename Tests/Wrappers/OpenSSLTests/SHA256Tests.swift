import OpenSSL
import Testing

@Suite struct SHA256Tests {
    /// The examples of NIST for FIPS 180-4, and the empty message.
    static let examples: [(message: String, digest: String)] = [
        ("", "e3b0c442 98fc1c14 9afbf4c8 996fb924 27ae41e4 649b934c a495991b 7852b855"),
        ("abc", "ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61 d20638b8 e5c02693 0c3e6039 a33ce459 64ff2167 f6ecedd4 19db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a7 78af8380 036ce59e 7b049237 0b249b11 e8f07a51 afac4503 7afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c 9914fb92 81a1c7e2 84d73e67 f1809a48 a497200e 046d39cc c7112cd0"
        ),
    ]

    @Test(arguments: examples)
    func `Published messages have their published digests, at once and in pieces`(message: String, digest: String) {
        let bytes = Array(message.utf8)
        let expected = [UInt8](hexadecimal: digest)
        #expect(SHA256.hash(bytes) == expected)
        #expect(SHA256.hash(bytes.span) == expected)
        var hash = SHA256()
        for start in stride(from: 0, to: bytes.count, by: 997) { hash.update(Array(bytes[start...].prefix(997))) }
        #expect(hash.finalize() == expected)
    }

    @Test func `A copy continues separately from its original`() {
        var hash = SHA256()
        hash.update(Array("ab".utf8))
        var copy = hash
        copy.update(Array("c".utf8))
        hash.update(Array("x".utf8))
        #expect(copy.finalize() == SHA256.hash(Array("abc".utf8)))
        #expect(hash.finalize() == SHA256.hash(Array("abx".utf8)))
    }

    @Test func `More bytes may follow a digest`() {
        var hash = SHA256()
        hash.update(Array("ab".utf8))
        #expect(hash.finalize() == SHA256.hash(Array("ab".utf8)))
        hash.update(Array("c".utf8))
        #expect(hash.finalize() == SHA256.hash(Array("abc".utf8)))
    }

    @Test func `Threads hash at the same time`() async {
        let expected = SHA256.hash(Array("abc".utf8))
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { (0..<2_000).allSatisfy { _ in SHA256.hash(Array("abc".utf8)) == expected } }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
