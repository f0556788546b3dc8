/// CRC-32 as in IEEE 802.3 and zlib: reflected polynomial 0xEDB88320, initial value and final inversion of all ones.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~register(after: bytes, from: ~0)
    }

    /// The register after `bytes`, neither begun nor inverted.
    static func register(after bytes: some Sequence<UInt8>, from value: UInt32) -> UInt32 {
        bytes.reduce(value) { value, byte in value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
    }

    /// The register after so many zero bytes.
    static func register(_ value: UInt32, afterZeros count: Int) -> UInt32 {
        zeros.indices.reduce(value) { value, power in count >> power & 1 == 0 ? value : apply(zeros[power], to: value) }
    }

    /// What 2 to the power of the index zero bytes do to each bit of the register.
    private static let zeros: [[UInt32]] = {
        let byte = (0..<32).map { register(after: CollectionOfOne(0), from: 1 << $0) }
        return (1..<40).reduce(into: [byte]) { powers, power in
            powers.append(powers[power - 1].map { apply(powers[power - 1], to: $0) })
        }
    }()

    private static func apply(_ bits: [UInt32], to value: UInt32) -> UInt32 {
        var (value, sum) = (value, UInt32(0))
        while value != 0 {
            sum ^= bits[value.trailingZeroBitCount]
            value &= value - 1
        }
        return sum
    }
}
