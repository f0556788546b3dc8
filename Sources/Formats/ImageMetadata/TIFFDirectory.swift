/// A TIFF image file directory: fields in ascending tag order, then the values that do not fit into four bytes.
package struct TIFFDirectory {
    private var entries: [TIFFEntry] = []

    package init() {}

    /// Bytes of one field in the directory.
    package static let entrySize = 12

    /// Adds a field; nil is ignored.
    package mutating func add(_ entry: TIFFEntry?) {
        guard let entry else { return }
        entries.append(entry)
    }

    /// Bytes of the directory and its values.
    package var byteCount: Int {
        6 + entries.count * Self.entrySize + entries.reduce(0) { $0 + Self.storedSize($1) }
    }

    /// Returns the directory for this offset from the TIFF header.
    /// - Parameter next: The offset of the next directory in its chain; 0 for the last one.
    package func serialized(at start: UInt32, next: UInt32 = 0) -> [UInt8] {
        var table: [UInt8] = []
        var values: [UInt8] = []
        let firstValue = Int(start) + 6 + entries.count * Self.entrySize
        table.appendBigEndian(UInt16(clamping: entries.count))
        for entry in entries.sorted(by: { $0.tag < $1.tag }) {
            table.appendBigEndian(entry.tag)
            table.appendBigEndian(entry.type)
            table.appendBigEndian(entry.count)
            if entry.value.count <= 4 {
                table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                table.appendBigEndian(UInt32(clamping: firstValue + values.count))
                values += entry.value
                if !values.count.isMultiple(of: 2) { values.append(0) }
            }
        }
        table.appendBigEndian(next)
        return table + values
    }

    /// Returns the bytes of a value after the directory. Values begin on word boundaries, so odd ones need one more byte.
    private static func storedSize(_ entry: TIFFEntry) -> Int {
        entry.value.count <= 4 ? 0 : entry.value.count + entry.value.count % 2
    }
}

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

    /// Returns a field of undefined bytes, whose meaning depends on the tag.
    package static func bytes(_ tag: UInt16, _ value: [UInt8]) -> TIFFEntry {
        TIFFEntry(tag: tag, type: 7, count: UInt32(clamping: value.count), value: value)
    }

    /// Returns a text with its final NUL; nil if it has no printable characters.
    package static func text(_ tag: UInt16, _ value: String?) -> TIFFEntry? {
        guard let printable = value.flatMap(printable) else { return nil }
        let bytes = Array(printable.utf8) + [0]
        return TIFFEntry(tag: tag, type: 2, count: UInt32(clamping: bytes.count), value: bytes)
    }

    /// Returns a text after its character code, as UserComment requires.
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
        // Control characters, above all NUL, would end or garble the text in readers.
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

/// Fields of several values, as in TIFF and DNG.
extension TIFFEntry {
    package static func shorts(_ tag: UInt16, _ values: [UInt16]) -> TIFFEntry {
        numbers(tag, type: 3, values)
    }

    package static func longs(_ tag: UInt16, _ values: [UInt32]) -> TIFFEntry {
        numbers(tag, type: 4, values)
    }

    /// Returns a field of small numbers, in contrast to bytes whose meaning depends on the tag.
    package static func octets(_ tag: UInt16, _ values: [UInt8]) -> TIFFEntry {
        numbers(tag, type: 1, values)
    }

    package static func rationals(_ tag: UInt16, _ values: [EXIFRational]) -> TIFFEntry {
        var bytes: [UInt8] = []
        for value in values {
            bytes.appendBigEndian(value.numerator)
            bytes.appendBigEndian(value.denominator)
        }
        return TIFFEntry(tag: tag, type: 5, count: UInt32(clamping: values.count), value: bytes)
    }

    /// Returns signed fractions in ten-thousandths. A number beyond ±214748 becomes 0.
    package static func signedRationals(_ tag: UInt16, _ values: [Double]) -> TIFFEntry {
        var bytes: [UInt8] = []
        for value in values {
            bytes.appendBigEndian(Int32(exactly: (value * 10_000).rounded()) ?? 0)
            bytes.appendBigEndian(Int32(10_000))
        }
        return TIFFEntry(tag: tag, type: 10, count: UInt32(clamping: values.count), value: bytes)
    }

    private static func numbers(_ tag: UInt16, type: UInt16, _ values: [some FixedWidthInteger]) -> TIFFEntry {
        var bytes: [UInt8] = []
        for value in values { bytes.appendBigEndian(value) }
        return TIFFEntry(tag: tag, type: type, count: UInt32(clamping: values.count), value: bytes)
    }
}
