/// The CRC-32 of any part of some bytes, after one pass over all of them. Each checksum costs a few hundred steps, however long the part
/// is. So bytes that claim many long parts are read as fast as others.
///
/// The checksum is linear over GF(2). The register of a part alone is the register after all bytes up to the part's end, minus the
/// contribution of the bytes before the part.
struct CRC32Index {
    private static let stride = 256
    private let bytes: [UInt8]
    /// The register before each multiple of `stride`, starting from 0.
    private let registers: [UInt32]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var registers: [UInt32] = []
        registers.reserveCapacity(bytes.count / Self.stride + 1)
        var value: UInt32 = 0
        for start in Swift.stride(from: 0, through: bytes.count, by: Self.stride) {
            registers.append(value)
            value = CRC32.register(after: bytes[start..<min(start + Self.stride, bytes.count)], from: value)
        }
        self.registers = registers
    }

    /// - Parameter part: Within the bytes.
    func checksum(of part: Range<Int>) -> UInt32 {
        ~(register(before: part.upperBound)
            ^ CRC32.register(register(before: part.lowerBound) ^ ~0, afterZeros: part.count))
    }

    private func register(before end: Int) -> UInt32 {
        let start = end / Self.stride
        return CRC32.register(after: bytes[start * Self.stride..<end], from: registers[start])
    }
}

/// CRC-32 as in IEEE 802.3 and zlib: reflected polynomial 0xEDB88320, initial value and final inversion of all ones.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~register(after: bytes, from: ~0)
    }

    /// The register after `bytes`, without initial value and final inversion.
    static func register(after bytes: some Sequence<UInt8>, from value: UInt32) -> UInt32 {
        bytes.reduce(value) { value, byte in value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
    }

    /// The register after `count` zero bytes.
    static func register(_ value: UInt32, afterZeros count: Int) -> UInt32 {
        zeros.indices.reduce(value) { value, power in count >> power & 1 == 0 ? value : apply(zeros[power], to: value) }
    }

    /// For each index n, the effect of 2ⁿ zero bytes on each bit of the register.
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
