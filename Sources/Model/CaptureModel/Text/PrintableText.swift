extension Unicode.Scalar {
    /// Whether it acts on what shows it instead of being shown: a control, a separator of lines or paragraphs, or one
    /// that changes the direction of the text around it (embeddings, overrides and isolates of Unicode Standard Annex 9).
    public var isUnprintable: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// `\uXXXX` with lower-case digits, as JSON and YAML write a character of at most 16 bits.
    public var shortEscape: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension String {
    /// Whether it has a character that acts on what shows it.
    public var hasUnprintable: Bool { unicodeScalars.contains(where: \.isUnprintable) }

    /// The text with another character for each one that acts on what shows it, at most `limit` scalars of it.
    public func printable(replacement: Unicode.Scalar = "\u{FFFD}", limit: Int = .max) -> String {
        String(UnicodeScalarView(unicodeScalars.prefix(limit).map { $0.isUnprintable ? replacement : $0 }))
    }

    /// Whether it has control characters, which no version has stored in a line that people write.
    public var hasControls: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }

    /// The beginning of a text of unknown length, for a message: at most 64 scalars, without characters that act on what shows it.
    public var excerpt: String { printable(limit: 64) + (unicodeScalars.count > 64 ? "…" : "") }

    /// The text with an escape for each character that acts on what shows it, as in the source of a program: `\n`, `\u{202E}`.
    public var escaped: String {
        guard hasUnprintable else { return self }
        return unicodeScalars.map { $0.isUnprintable ? $0.escaped(asASCII: true) : String($0) }.joined()
    }
}
