/// A box of an ISO base media file: 32 bits of length, a type of four letters, content.
struct HEIFBox {
    let type: String
    /// With its header.
    let range: Range<Int>
    var content: Range<Int> { range.lowerBound + 8..<range.upperBound }

    /// - Throws: ``HEIFProblem`` where they do not fill the range, or one has a length of 64 bits, which no still needs.
    static func children(of bytes: [UInt8], in range: Range<Int>) throws(HEIFProblem) -> [HEIFBox] {
        var boxes: [HEIFBox] = []
        var start = range.lowerBound
        while start < range.upperBound {
            guard range.upperBound - start >= 8 else { throw HEIFProblem("a box is cut off") }
            let length = number(bytes, start, 4)
            // 0: up to the end of the file.
            let end = length == 0 && range.upperBound == bytes.count ? range.upperBound : start + length
            guard end - start >= 8, end <= range.upperBound else {
                throw HEIFProblem("a box has a length of \(length)")
            }
            let type = String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
            boxes.append(HEIFBox(type: type, range: start..<end))
            start = end
        }
        return boxes
    }

    static func bytes(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    /// The big-endian number of `count` bytes, at most 4, at `start`; 0 where they are not there.
    static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
        guard start >= 0, count <= 4, start <= bytes.count - count else { return 0 }
        return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
}
