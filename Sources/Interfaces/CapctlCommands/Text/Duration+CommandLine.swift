internal import CaptureModel
internal import RigDocuments

extension Duration {
    /// Parses `250ms`, `-0.5s`, `+1.5s`, `30us`, `10ns`, `2min`, `2m`, `1h` or `2d`: an optional sign, a decimal number and its unit.
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
        case "h": 3_600_000_000_000
        case "d": 86_400_000_000_000
        default: nil
        }
    }
}
