/// One field of a TIFF directory, its value in big-endian bytes.
package struct TIFFEntry {
    let tag: UInt16
    let type: UInt16
    let count: UInt32
    let value: [UInt8]

    package static func short(_ tag: UInt16, _ value: UInt16) -> TIFFEntry {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(value)
        return TIFFEntry(tag: tag, type: 3, count: 1, value: bytes)
    }

    package static func long(_ tag: UInt16, _ value: UInt32) -> TIFFEntry {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(value)
        return TIFFEntry(tag: tag, type: 4, count: 1, value: bytes)
    }

    package static func rational(_ tag: UInt16, _ value: EXIFRational) -> TIFFEntry {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(value.numerator)
        bytes.appendBigEndian(value.denominator)
        return TIFFEntry(tag: tag, type: 5, count: 1, value: bytes)
    }

    /// Undefined bytes, whose meaning the tag gives.
    package static func bytes(_ tag: UInt16, _ value: [UInt8]) -> TIFFEntry {
        TIFFEntry(tag: tag, type: 7, count: UInt32(clamping: value.count), value: value)
    }

    /// A text with its final NUL; nil when nothing printable is left of it.
    package static func text(_ tag: UInt16, _ value: String?) -> TIFFEntry? {
        guard let printable = value.flatMap(printable) else { return nil }
        let bytes = Array(printable.utf8) + [0]
        return TIFFEntry(tag: tag, type: 2, count: UInt32(clamping: bytes.count), value: bytes)
    }

    /// A text with the character code in front, as UserComment wants it.
    static func comment(_ tag: UInt16, _ value: String) -> TIFFEntry? {
        guard let printable = printable(value) else { return nil }
        guard printable.utf8.allSatisfy({ $0 < 0x80 }) else {
            var encoded = Array("UNICODE\0".utf8)
            for unit in printable.utf16 { encoded.appendBigEndian(unit) }
            return bytes(tag, encoded)
        }
        return bytes(tag, Array("ASCII\0\0\0".utf8) + Array(printable.utf8))
    }

    private static func printable(_ text: String) -> String? {
        var kept = String.UnicodeScalarView()
        // Control characters, NUL above all, would end or garble the text in readers.
        kept.append(contentsOf: text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
        while kept.last == " " { kept.removeLast() }
        return kept.isEmpty ? nil : String(kept)
    }
}

extension [UInt8] {
    package mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
