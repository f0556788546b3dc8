/// A binary PGM image (netpbm P5) of 8 bits.
struct PortableGrayMap: Equatable {
    var width: Int
    var height: Int
    /// `width * height` samples, top row first.
    var luma: [UInt8]

    private static let largestSide = 65_535

    /// - Returns: nil unless the bytes begin with a whole image.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [UInt8(ascii: "P"), UInt8(ascii: "5")]) else { return nil }
        var rest = bytes[2...]
        guard let width = Self.number(&rest), let height = Self.number(&rest), let maximum = Self.number(&rest),
            (1...Self.largestSide).contains(width), (1...Self.largestSide).contains(height), maximum == 255,
            let separator = rest.first, Self.isSpace(separator)
        else { return nil }
        rest = rest.dropFirst()
        guard rest.count >= width * height else { return nil }
        (self.width, self.height) = (width, height)
        luma = Array(rest.prefix(width * height))
    }

    /// A decimal number after white space and comments, which run from `#` to the end of the line.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        while let first = bytes.first, isSpace(first) || first == UInt8(ascii: "#") {
            if first == UInt8(ascii: "#") {
                bytes = bytes.drop { $0 != UInt8(ascii: "\n") }
            } else {
                bytes = bytes.dropFirst()
            }
        }
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...6).contains(digits.count) else { return nil }
        bytes = bytes.dropFirst(digits.count)
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }
}
