import Testing

@testable import OpenSSL

@Suite struct ChaCha20Poly1305Tests {
    private let key = [UInt8](0x80..<0xA0)
    private let header = [UInt8](hexadecimal: "50515253c0c1c2c3c4c5c6c7")
    private let nonce = [UInt8](hexadecimal: "070000004041424344454647")
    private let content = Array(
        ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
            + "sunscreen would be it.").utf8)
    /// Ciphertext and tag of section 2.8.2 of RFC 8439.
    private let published = [UInt8](
        hexadecimal: """
            d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6
            3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
            92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
            3ff4def08e4b7a9de576d26586cec64b6116
            1ae10b594f09e26a7e902ecbd0600691
            """)

    @Test func `Seals and opens the published example`() throws {
        let sealed = try ChaCha20Poly1305.seal(content, authenticating: header, nonce: nonce, key: key)
        #expect(sealed == nonce + published)
        #expect(try ChaCha20Poly1305.open(sealed, authenticating: header, key: key) == content)
        #expect(throws: OpenSSLError.self) { try ChaCha20Poly1305.open(sealed, authenticating: [], key: key) }
    }

    @Test(arguments: [0, 1, 63, 64, 65, 100_000])
    func `What is sealed opens, and is never sealed the same way`(count: Int) throws {
        let content = [UInt8](repeating: 7, count: count)
        let sealed = try ChaCha20Poly1305.seal(content, key: key)
        #expect(sealed.count == count + 28)
        #expect(try ChaCha20Poly1305.open(sealed, key: key) == content)
        #expect(try ChaCha20Poly1305.seal(content, key: key) != sealed)
    }

    @Test func `No bit may have changed, and no other key opens`() throws {
        let sealed = try ChaCha20Poly1305.seal([1, 2, 3], key: key)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: OpenSSLError.self) { try ChaCha20Poly1305.open(changed, key: key) }
        }
        let error = #expect(throws: OpenSSLError.self) {
            try ChaCha20Poly1305.open(sealed, key: [UInt8](repeating: 0, count: 32))
        }
        #expect(error?.reason == "the key is another one, or the bytes were changed")
    }

    @Test(arguments: 0..<31)
    func `Bytes that were cut off are refused`(count: Int) throws {
        let sealed = try ChaCha20Poly1305.seal([1, 2, 3], key: key)
        #expect(throws: OpenSSLError.self) { try ChaCha20Poly1305.open(Array(sealed.prefix(count)), key: key) }
    }

    @Test func `A key has 32 bytes`() {
        #expect(throws: OpenSSLError.self) { try ChaCha20Poly1305.seal([], key: [1]) }
    }
}
