/// The CRC-32 of any part of some bytes, from one pass over all of them: each costs a few hundred steps, however long the
/// part is, so that bytes which claim many long parts are read no slower than others.
///
/// The checksum is linear over GF(2): its register after a part is that after all bytes up to the part's end, less what
/// the bytes before the part have become of on the way there.
struct CRC32Index {
    private static let stride = 256
    private let bytes: [UInt8]
    /// The register before each multiple of `stride`, having begun with 0.
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
