import CaptureModel
import FoundationEssentials
import RigSecurity
import Testing

@Suite struct JoinTokenTests {
    @Test func `A token consists of the generator's numbers`() {
        var generator = SplitMix64(seed: 1)
        var same = SplitMix64(seed: 1)
        let token = JoinToken(using: &generator)
        #expect(token == JoinToken(using: &same))
        #expect(token.bytes.count == 16)
        #expect(Set((0..<1000).map { _ in JoinToken(using: &generator).bytes }).count == 1000)
    }

    @Test func `The stored form is the SHA-256 digest of the token`() throws {
        let token = try #require(JoinToken(bytes: Array(UInt8(0)..<16)))
        // Computed with `openssl dgst -sha256`.
        #expect(
            token.hash.bytes.prefix(8).elementsEqual([0xBE, 0x45, 0xCB, 0x26, 0x05, 0xBF, 0x36, 0xBE]))
        #expect(try JSONDecoder().decode([TokenHash].self, from: JSONEncoder().encode([token.hash])) == [token.hash])
    }

    @Test func `Only the token itself matches its hash`() throws {
        let bytes = Array(UInt8(0)..<16)
        let hash = try #require(JoinToken(bytes: bytes)).hash
        #expect(hash.matches(try #require(JoinToken(bytes: bytes))))
        for bit in 0..<128 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            let token = try #require(JoinToken(bytes: other))
            #expect(!hash.matches(token))
            #expect(token != JoinToken(bytes: bytes))
        }
    }

    @Test func `Another number of bytes is neither a token nor a hash`() {
        #expect(JoinToken(bytes: [UInt8](repeating: 1, count: 15)) == nil)
        #expect(JoinToken(bytes: [UInt8](repeating: 1, count: 17)) == nil)
        #expect(TokenHash(bytes: [UInt8](repeating: 1, count: 31)) == nil)
    }
}
