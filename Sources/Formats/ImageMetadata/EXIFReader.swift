/// Reads single values of a still's Exif block. Its input is untrusted.
public enum EXIFReader {
    /// Returns the orientation of the image; nil if its Exif block has no known one.
    ///
    /// - Parameter start: The image, or a beginning that includes its header.
    /// - Throws: ``JPEGProblem`` if the header is malformed or does not end within the bytes.
    public static func orientation(in start: [UInt8]) throws(JPEGProblem) -> EXIFOrientation? {
        guard let (reader, main) = try stream(in: start),
            let value = reader.directory(at: main).first(where: { $0.tag == 0x0112 })?.number
        else { return nil }
        return UInt16(exactly: value).flatMap(EXIFOrientation.init(rawValue:))
    }

    /// Returns the identifier that pairs a still with its movie, from Apple's maker note; nil if there is none.
    ///
    /// - Parameter start: The image, or a beginning that includes its header.
    /// - Throws: ``JPEGProblem`` if the header is malformed or does not end within the bytes.
    public static func contentIdentifier(in start: [UInt8]) throws(JPEGProblem) -> String? {
        guard let (reader, main) = try stream(in: start),
            let exif = reader.directory(at: main).first(where: { $0.tag == 0x8769 })?.number,
            let note = reader.directory(at: exif).first(where: { $0.tag == AppleMakerNote.tag })
        else { return nil }
        return AppleMakerNote.contentIdentifier(in: note.value)
    }

    /// Returns the TIFF stream of the Exif block, and the offset of its first directory; nil if there is none.
    private static func stream(in start: [UInt8]) throws(JPEGProblem) -> (reader: TIFFReader, directory: Int)? {
        var header = JPEGHeaderParser()
        try header.parse(start.span)
        let name = Array("Exif\0\0".utf8)
        let segment = header.segments.first {
            $0.marker == JPEGMarker.app1 && start[$0.payload].starts(with: name)
        }
        return segment.flatMap { TIFFReader.stream(Array(start[$0.payload].dropFirst(name.count))) }
    }
}

/// The entry of Apple's maker note that pairs a still with its movie: tag 0x0011, a UUID as text.
///
/// The note is a big-endian TIFF directory. Its offsets count from the note's first byte, so they remain valid when the note is moved.
public enum AppleMakerNote {
    /// The EXIF tag of the note.
    static let tag: UInt16 = 0x927C
    private static let signature: [UInt8] = Array("Apple iOS".utf8) + [0, 0, 1] + Array("MM".utf8)
    private static let contentIdentifierTag: UInt16 = 0x0011

    /// Returns the note's bytes, 69 for a UUID of 36 characters; nil if the identifier has no printable characters.
    public static func bytes(contentIdentifier: String) -> [UInt8]? {
        guard let entry = TIFFEntry.text(contentIdentifierTag, contentIdentifier) else { return nil }
        var directory = TIFFDirectory()
        directory.add(entry)
        let stored = directory.serialized(at: UInt32(signature.count))
        // Omits the byte with which TIFF pads to an even length.
        return signature + stored.prefix(stored.count - (entry.value.count > 4 ? entry.value.count % 2 : 0))
    }

    /// Returns the identifier in a note; nil if there is none or the bytes are not a note. The input is untrusted.
    public static func contentIdentifier(in note: [UInt8]) -> String? {
        guard note.starts(with: signature) else { return nil }
        let directory = TIFFReader(note, isBigEndian: true).directory(at: signature.count)
        return directory.first { $0.tag == contentIdentifierTag }?.text
    }
}

/// The JPEG in a TIFF stream, such as a DNG, that serves as its preview.
public enum TIFFPreview {
    /// Returns the position of the first directory's JPEG in the file; nil if there is none in one piece. The input is untrusted.
    /// - Parameter start: A beginning of the file that includes its first directory.
    public static func jpeg(in start: [UInt8]) -> (offset: Int64, byteCount: Int)? {
        guard let (reader, main) = TIFFReader.stream(start) else { return nil }
        let fields = reader.directory(at: main)
        func number(_ tag: UInt16) -> Int? { fields.first { $0.tag == tag }?.number }
        let (compression, meaning, strips, counts): (UInt16, UInt16, UInt16, UInt16) = (0x103, 0x106, 0x111, 0x117)
        // 32803: samples of a sensor, which may be compressed as JPEG too.
        guard number(compression) == 7, number(meaning) != 32803, let offset = number(strips),
            let byteCount = number(counts), byteCount > 0
        else { return nil }
        return (Int64(offset), byteCount)
    }
}

/// Reads directories of an untrusted TIFF stream. Fields whose values are not within the bytes are left out.
struct TIFFReader {
    /// One field: its tag, its type, and the bytes of its value in the stream's byte order.
    struct Field {
        let tag: UInt16
        let type: UInt16
        let value: [UInt8]
        let isBigEndian: Bool

        /// The text up to its NUL; nil for other types.
        var text: String? {
            type == 2 ? String(decoding: value.prefix { $0 != 0 }, as: UTF8.self) : nil
        }

        /// The single number of type LONG or SHORT; nil for others.
        var number: Int? {
            switch (type, value.count) {
            case (3, 2), (4, 4): TIFFReader.number(value, isBigEndian)
            default: nil
            }
        }
    }

    private let bytes: [UInt8]
    private let isBigEndian: Bool
    /// The bytes of one element, by TIFF type 1...12.
    private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8]

    init(_ bytes: [UInt8], isBigEndian: Bool) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
    }

    /// Opens a complete stream, beginning with its header.
    /// - Returns: The reader, and the offset of the first directory; nil if the stream does not begin with a TIFF header.
    static func stream(_ bytes: [UInt8]) -> (reader: TIFFReader, directory: Int)? {
        guard bytes.count >= 8, bytes[0] == bytes[1], bytes[0] == UInt8(ascii: "M") || bytes[0] == UInt8(ascii: "I")
        else { return nil }
        let reader = TIFFReader(bytes, isBigEndian: bytes[0] == UInt8(ascii: "M"))
        guard reader.number(at: 2, count: 2) == 42, let start = reader.number(at: 4, count: 4) else { return nil }
        return (reader, start)
    }

    /// Returns the fields of the directory at `start` whose values are within the bytes.
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
