internal import CaptureModel

extension Duration {
    /// Parses `250ms`, `-0.5s`, `+1.5s`, `30us`, `10ns`, `2min` or `2m`: an optional sign, a decimal number and its unit.
    init?(commandLine text: String) {
        var rest = text[...]
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        guard let unitStart = rest.firstIndex(where: { $0.isLetter || $0 == "µ" }) else { return nil }
        guard let unit = Self.nanoseconds(ofUnit: rest[unitStart...]) else { return nil }
        guard let magnitude = DecimalNanoseconds.parse(rest[..<unitStart], unit: unit) else { return nil }
        self = .nanoseconds(isNegative ? -magnitude : magnitude)
    }

    private static func nanoseconds(ofUnit unit: Substring) -> Int64? {
        switch unit {
        case "ns": 1
        case "us", "µs": 1_000
        case "ms": 1_000_000
        case "s": 1_000_000_000
        case "m", "min": 60_000_000_000
        default: nil
        }
    }

    /// For people: milliseconds with two or three significant decimals, seconds from ten seconds on.
    var shortText: String {
        let magnitude = self.magnitude.seconds
        let sign = self < .zero ? "-" : ""
        if magnitude >= 10 { return sign + Decimals.text(magnitude, digits: 1) + " s" }
        if magnitude >= 0.1 { return sign + Decimals.text(magnitude * 1e3, digits: 0) + " ms" }
        return sign + Decimals.text(magnitude * 1e3, digits: 2) + " ms"
    }

    /// Like ``shortText`` with a sign always shown.
    var signedText: String { self < .zero ? shortText : "+" + shortText }
}
