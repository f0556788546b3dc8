/// Reads directories of a TIFF stream that somebody else has made; what does not lie within the bytes is left out.
struct TIFFReader {
    /// One field: its tag, type and value's bytes in the stream's byte order.
    struct Field {
        let tag: UInt16
        let type: UInt16
        let value: [UInt8]
        let isBigEndian: Bool

        /// A text up to its NUL; nil for other types.
        var text: String? {
            type == 2 ? String(decoding: value.prefix { $0 != 0 }, as: UTF8.self) : nil
        }

        /// A single number of type LONG or SHORT; nil for others.
        var number: Int? {
            switch (type, value.count) {
            case (3, 2), (4, 4): TIFFReader.number(value, isBigEndian)
            default: nil
            }
        }
    }

    private let bytes: [UInt8]
    private let isBigEndian: Bool
    /// Bytes of one element, by TIFF type 1...12.
    private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8]

    init(_ bytes: [UInt8], isBigEndian: Bool) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
    }

    /// A whole stream, from its header on.
    /// - Returns: nil where it does not begin as TIFF does; else also where its first directory stands.
    static func stream(_ bytes: [UInt8]) -> (reader: TIFFReader, directory: Int)? {
        guard bytes.count >= 8, bytes[0] == bytes[1], bytes[0] == UInt8(ascii: "M") || bytes[0] == UInt8(ascii: "I")
        else { return nil }
        let reader = TIFFReader(bytes, isBigEndian: bytes[0] == UInt8(ascii: "M"))
        guard reader.number(at: 2, count: 2) == 42, let start = reader.number(at: 4, count: 4) else { return nil }
        return (reader, start)
    }

    /// The fields of the directory at this offset whose values lie within the bytes.
    func directory(at start: Int) -> [Field] {
        guard let count = number(at: start, count: 2) else { return [] }
        return (0..<count).compactMap { field(at: start + 2 + 12 * $0) }
    }

    private func field(at start: Int) -> Field? {
        guard let tag = number(at: start, count: 2), let type = number(at: start + 2, count: 2),
            let count = number(at: start + 4, count: 4), let size = Self.sizes[type]
        else { return nil }
        let length = count * size
        guard let offset = length <= 4 ? start + 8 : number(at: start + 8, count: 4), offset <= bytes.count,
            length <= bytes.count - offset
        else { return nil }
        return Field(
            tag: UInt16(tag), type: UInt16(type), value: Array(bytes[offset..<offset + length]),
            isBigEndian: isBigEndian)
    }

    private func number(at offset: Int, count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return Self.number(bytes[offset..<offset + count], isBigEndian)
    }

    private static func number(_ bytes: some BidirectionalCollection<UInt8>, _ isBigEndian: Bool) -> Int {
        isBigEndian
            ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
