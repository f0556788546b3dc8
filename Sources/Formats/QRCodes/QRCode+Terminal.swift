extension QRCode {
    /// Light modules around the code.
    private static let margin = 4

    /// Lines for a terminal: two modules in each character, dark on light whatever the terminal's colors are.
    public var terminalText: String {
        stride(from: -Self.margin, to: size + Self.margin, by: 2).map { y in
            let line = (-Self.margin..<size + Self.margin).map { x in Self.character(self[x, y], self[x, y + 1]) }
            return "\u{1B}[38;5;16;48;5;231m" + line.joined() + "\u{1B}[0m\n"
        }.joined()
    }

    private static func character(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
