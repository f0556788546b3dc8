internal import CaptureModel

/// The CRC-32 of any part of some bytes, after one pass over all of them. Each checksum costs a few hundred steps, however long the part
/// is. So bytes that claim many long parts are read as fast as others.
struct CRC32Index {
    private static let stride = 256
    private let bytes: [UInt8]
    /// The checksum of the bytes before each multiple of `stride`.
    private let sums: [CRC32]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var sums: [CRC32] = []
        sums.reserveCapacity(bytes.count / Self.stride + 1)
        var sum = CRC32()
        for start in Swift.stride(from: 0, through: bytes.count, by: Self.stride) {
            sums.append(sum)
            sum.update(bytes.span.extracting(start..<min(start + Self.stride, bytes.count)))
        }
        self.sums = sums
    }

    /// - Parameter part: Within the bytes.
    func checksum(of part: Range<Int>) -> UInt32 {
        sum(before: part.upperBound).value(ofLast: part.count, after: sum(before: part.lowerBound))
    }

    private func sum(before end: Int) -> CRC32 {
        let start = end / Self.stride
        var sum = sums[start]
        sum.update(bytes.span.extracting(start * Self.stride..<end))
        return sum
    }
}
