/// The four-character code of an atom (box).
struct AtomType: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let code: UInt32

    init(code: UInt32) {
        self.code = code
    }

    /// Four characters of Latin-1, as in `moov` or `©nam`.
    init(stringLiteral text: String) {
        code = text.unicodeScalars.prefix(4).reduce(0) { $0 << 8 | $1.value & 0xFF }
    }

    /// The characters; what is not printable as `?`.
    var description: String {
        var text = String.UnicodeScalarView()
        for shift in stride(from: 24, through: 0, by: -8) {
            let value = UInt8(truncatingIfNeeded: code >> UInt32(shift))
            text.append((0x20..<0x7F).contains(value) || value == 0xA9 ? Unicode.Scalar(value) : "?")
        }
        return String(text)
    }
}
