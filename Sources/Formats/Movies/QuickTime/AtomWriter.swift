/// Puts atoms together.
enum AtomWriter {
    /// An atom of these pieces; its size fits 32 bits, since only indexes are written here.
    static func atom(_ type: AtomType, _ pieces: [UInt8]...) -> [UInt8] {
        let content = pieces.flatMap(\.self)
        return BigEndian.bytes(UInt32(clamping: content.count + 8)) + BigEndian.bytes(type.code) + content
    }

    /// An atom with a version and flags in front of its pieces.
    static func full(_ type: AtomType, version: UInt8 = 0, flags: UInt32 = 0, _ pieces: [UInt8]...) -> [UInt8] {
        atom(type, BigEndian.bytes(UInt32(version) << 24 | flags & 0xFF_FFFF), pieces.flatMap(\.self))
    }

    /// Numbers of 32 bits, one after another.
    static func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap(BigEndian.bytes)
    }

    /// Four characters as bytes.
    static func code(_ type: AtomType) -> [UInt8] {
        BigEndian.bytes(type.code)
    }

    /// A text with its length in front.
    static func pascalString(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(255))
        return [UInt8(bytes.count)] + bytes
    }
}
