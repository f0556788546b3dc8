extension String {
    /// The text as people may be shown it: at most `limit` bytes of UTF-8, with U+FFFD for control characters, which
    /// could otherwise steer a terminal. Line feeds and tabs stay.
    ///
    /// A text for people is made harmless, not refused: what it comes with, such as the loss of a capture, must arrive.
    public func sentence(limit: Int) -> String {
        var result = ""
        var byteCount = 0
        for scalar in unicodeScalars {
            let harmless = scalar.isControl && scalar != "\n" && scalar != "\t" ? "\u{FFFD}" : scalar
            byteCount += UTF8.width(harmless)
            guard byteCount <= limit else { break }
            result.unicodeScalars.append(harmless)
        }
        return result
    }
}

extension Unicode.Scalar {
    var isControl: Bool { properties.generalCategory == .control }
}
