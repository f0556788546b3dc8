import OpenSSL
import Testing

@Suite struct ScryptTests {
    /// Section 12 of RFC 7914.
    struct Vector: Sendable {
        var passphrase: String
        var salt: String
        var cost: UInt64
        var blockSize: UInt64
        var parallelism: UInt64
        var key: String
    }

    static let vectors = [
        Vector(
            passphrase: "", salt: "", cost: 16, blockSize: 1, parallelism: 1,
            key: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
        Vector(
            passphrase: "password", salt: "NaCl", cost: 1024, blockSize: 8, parallelism: 16,
            key: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
        Vector(
            passphrase: "pleaseletmein", salt: "SodiumChloride", cost: 16_384, blockSize: 8, parallelism: 1,
            key: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
        Vector(
            passphrase: "pleaseletmein", salt: "SodiumChloride", cost: 1_048_576, blockSize: 8, parallelism: 1,
            key: "2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa47"
                + "8e56fd8f4ba5d09ffa1c6d927c40f4c337304049e8a952fbcbf45c6fa77a41a4"),
    ]

    @Test(arguments: vectors)
    func `Published passphrases make their published keys`(vector: Vector) throws {
        let key = try Scrypt.key(
            of: Array(vector.passphrase.utf8), salt: Array(vector.salt.utf8), cost: vector.cost,
            blockSize: vector.blockSize, parallelism: vector.parallelism, byteCount: 64, memoryLimit: 1025 << 20)
        #expect(key == [UInt8](hexadecimal: vector.key))
    }

    @Test(
        arguments: [
            (1 << 15, 8, 32 << 20), (1 << 62, 8, UInt64.max), (1 << 20, 8, 1 << 30), (3, 8, 1 << 30), (0, 8, 1 << 30),
            (1 << 10, 0, 1 << 30),
        ] as [(UInt64, UInt64, UInt64)])
    func `Costs beyond the memory, and such as scrypt does not have, are refused`(
        cost: UInt64, blockSize: UInt64, memoryLimit: UInt64
    ) {
        let error = #expect(throws: OpenSSLError.self) {
            try Scrypt.key(
                of: [1], salt: [2], cost: cost, blockSize: blockSize, parallelism: 1, byteCount: 32,
                memoryLimit: memoryLimit)
        }
        #expect(error?.description.hasPrefix("OpenSSL cannot make a key of a passphrase: ") == true)
    }
}
