import CaptureModel
import FoundationEssentials
import RigSecurity
import Testing

@Suite struct KeyTests {
    // Computed with OpenSSL: `openssl dgst -sha256 -binary | base64`.
    private static let vector = (
        bytes: Array(UInt8(1)...32), base64: "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
        fingerprint: "SHA256:riFsLvUkejeCwTXvonmj5M3GEJQnD10r5YxiBLemEsk"
    )

    @Test func `A key keeps its bytes in order`() throws {
        let key = try #require(PublicKey(bytes: Self.vector.bytes))
        #expect(key.bytes == Self.vector.bytes)
        #expect(key.base64 == Self.vector.base64)
        #expect(PublicKey(base64: Self.vector.base64) == key)
        #expect(try JSONDecoder().decode([PublicKey].self, from: JSONEncoder().encode([key])) == [key])
    }

    @Test func `A fingerprint is the SHA-256 digest as OpenSSH writes it`() throws {
        let key = try #require(PublicKey(bytes: Self.vector.bytes))
        #expect(key.fingerprint.description == Self.vector.fingerprint)
        #expect("\(key)" == Self.vector.fingerprint)
        #expect(try Fingerprint(Self.vector.fingerprint) == key.fingerprint)
        #expect(try Fingerprint(String(Self.vector.fingerprint.dropFirst(7))) == key.fingerprint)
    }

    @Test func `Bytes that are not a key are refused`() {
        #expect(PublicKey(bytes: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(PublicKey(bytes: [UInt8](repeating: 1, count: 33)) == nil)
        #expect(PublicKey(bytes: [UInt8](repeating: 0, count: 32)) == nil)
    }

    @Test(
        "A text that is not the base64 form of a key is refused",
        arguments: [
            "", "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA", "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyB=",
            "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=\n", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMk",
        ])
    func texts(text: String) throws {
        #expect(PublicKey(base64: text) == nil)
        let document = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([PublicKey].self, from: document) }
    }

    @Test func `The beginning of a fingerprint selects a key if no other begins so`() throws {
        let keys = try (0..<500).map { try Samples.key($0) }
        let wanted = keys[123]
        let digits = wanted.fingerprint.description.dropFirst(7)
        #expect(try FingerprintPrefix(String(digits.prefix(8))).match(in: keys) == .one(wanted))
        #expect(try FingerprintPrefix("sha256:" + digits.prefix(8)).match(in: keys) == .one(wanted))
        #expect(try FingerprintPrefix(String(digits)).match(in: keys + keys) == .one(wanted))
        #expect(try FingerprintPrefix(String(digits)).match(in: keys.filter { $0 != wanted }) == .none)
    }

    @Test func `A beginning that two fingerprints share selects neither`() throws {
        // Among so many fingerprints, some share their first four characters (24 bits).
        var seen: [Substring: PublicKey] = [:]
        var pair: (PublicKey, PublicKey)?
        for seed in UInt64(0)... {
            let key = try Samples.key(seed)
            if let other = seen.updateValue(key, forKey: key.fingerprint.description.dropFirst(7).prefix(4)) {
                pair = (other, key)
                break
            }
        }
        let (first, second) = try #require(pair)
        let prefix = try FingerprintPrefix(String(first.fingerprint.description.prefix(11)))
        #expect(prefix.match(in: [first, second]) == .ambiguous)
        #expect(prefix.match(in: [second]) == .one(second))
        let longer = try FingerprintPrefix(first.fingerprint.description)
        #expect(longer.match(in: [first, second]) == .one(first))
    }

    @Test(
        "A text that cannot begin a fingerprint is refused with what to write",
        arguments: [
            "", "SHA256:", "abc", "SHA256:abc", "left-arm", "abcd ", "abcd=", "MD5:abcdefgh",
            String(repeating: "a", count: 44), "äöüß",
        ])
    func prefixes(text: String) {
        let error = failure { _ = try FingerprintPrefix(text) }
        #expect(error?.code == .badFingerprint)
        #expect(error?.description.contains("4 to 43 of its characters after SHA256:") == true)
    }

    @Test func `Part of a fingerprint is not a fingerprint`() {
        let error = failure { _ = try Fingerprint("SHA256:abcdef") }
        #expect(error?.code == .badFingerprint)
        // The last character's unused bits are not zero.
        #expect(failure { _ = try Fingerprint(String(repeating: "b", count: 43)) }?.code == .badFingerprint)
    }

    @Test func `A node's holder has the node's name, and is an authenticated principal`() throws {
        let node = KeyHolder(name: try KeyName("left-arm"), role: .node, key: try Samples.key(1))
        #expect(node.node == (try NodeName("left-arm")))
        #expect(node.principal == Principal(recorded: "left-arm", isAuthenticated: true))
        #expect(KeyHolder(name: try KeyName("anna"), role: .admin, key: try Samples.key(1)).node == nil)
    }
}
