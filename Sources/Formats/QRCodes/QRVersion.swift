/// A version of QR codes at error correction level L.
struct QRVersion: Equatable {
    var number: Int
    /// Codewords of error correction in each block.
    var correction: Int
    /// Codewords of data in each block.
    var blocks: [Int]
    /// The middles of alignment patterns on each axis.
    var alignment: [Int]

    var size: Int { 17 + 4 * number }

    /// The bits of the count of bytes.
    var countLength: Int { number < 10 ? 8 : 16 }

    /// The number with its error correction; nil if the code does not state it.
    var bits: Int? { number < 7 ? nil : QRBits.withRemainder(number, length: 12, generator: 0x1F25) }

    /// The smallest version for this number of bytes; nil if there is none.
    static func fitting(_ count: Int) -> QRVersion? {
        all.first { 4 + $0.countLength + 8 * count <= 8 * $0.blocks.reduce(0, +) }
    }

    /// ISO/IEC 18004, tables 7, 9 and E.1.
    private static let all = [
        QRVersion(number: 1, correction: 7, blocks: [19], alignment: []),
        QRVersion(number: 2, correction: 10, blocks: [34], alignment: [6, 18]),
        QRVersion(number: 3, correction: 15, blocks: [55], alignment: [6, 22]),
        QRVersion(number: 4, correction: 20, blocks: [80], alignment: [6, 26]),
        QRVersion(number: 5, correction: 26, blocks: [108], alignment: [6, 30]),
        QRVersion(number: 6, correction: 18, blocks: [68, 68], alignment: [6, 34]),
        QRVersion(number: 7, correction: 20, blocks: [78, 78], alignment: [6, 22, 38]),
        QRVersion(number: 8, correction: 24, blocks: [97, 97], alignment: [6, 24, 42]),
        QRVersion(number: 9, correction: 30, blocks: [116, 116], alignment: [6, 26, 46]),
        QRVersion(number: 10, correction: 18, blocks: [68, 68, 69, 69], alignment: [6, 28, 50]),
    ]
}

/// Bits of a QR code that are not data.
enum QRBits {
    /// Appends to a value its remainder by a polynomial of this degree.
    static func withRemainder(_ value: Int, length: Int, generator: Int) -> Int {
        var remainder = value
        for _ in 0..<length { remainder = remainder << 1 ^ (remainder >> (length - 1) & 1) * generator }
        return value << length | remainder & ((1 << length) - 1)
    }
}

/// The codewords of a QR code: the bytes in blocks, with Reed-Solomon codes, interleaved.
enum QRCodewords {
    static func all(of bytes: [UInt8], in version: QRVersion) -> [UInt8] {
        var rest = data(of: bytes, in: version)[...]
        let generator = generator(version.correction)
        let blocks = version.blocks.map { length in
            defer { rest = rest.dropFirst(length) }
            return Array(rest.prefix(length))
        }
        let corrections = blocks.map { remainder(of: $0, by: generator) }
        return interleaved(blocks) + interleaved(corrections)
    }

    /// Mode, count, bytes, a terminator, and the standard's padding.
    private static func data(of bytes: [UInt8], in version: QRVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ length: Int) {
            for index in (0..<length).reversed() { bits.append(value >> index & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version.countLength)
        for byte in bytes { append(Int(byte), 8) }
        let capacity = version.blocks.reduce(0, +) * 8
        append(0, min(4, capacity - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        for padding in (0..<(capacity - bits.count) / 8).map({ $0 % 2 == 0 ? 0xEC : 0x11 }) { append(padding, 8) }
        return stride(from: 0, to: capacity, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
        (0..<(blocks.map(\.count).max() ?? 0)).flatMap { index in
            blocks.compactMap { $0.indices.contains(index) ? $0[index] : nil }
        }
    }

    /// The coefficients below the highest one of the product of (x - 2^i).
    private static func generator(_ degree: Int) -> [UInt8] {
        var (coefficients, root): ([UInt8], UInt8) = ([UInt8](repeating: 0, count: degree - 1) + [1], 1)
        for _ in 0..<degree {
            for index in coefficients.indices {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    private static func remainder(of data: [UInt8], by generator: [UInt8]) -> [UInt8] {
        data.reduce(into: [UInt8](repeating: 0, count: generator.count)) { remainder, byte in
            let factor = byte ^ remainder[0]
            remainder = remainder.dropFirst() + [0]
            for index in generator.indices { remainder[index] ^= product(generator[index], factor) }
        }
    }

    /// In the field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1.
    private static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        (0..<8).reversed().reduce(0) { product, bit in
            let doubled = product << 1 ^ (product >> 7) * 0x1D
            return doubled ^ (second >> bit & 1) * first
        }
    }
}
