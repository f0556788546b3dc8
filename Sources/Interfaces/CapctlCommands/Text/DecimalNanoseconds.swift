/// Turns decimal text such as `0.25` into whole nanoseconds without passing through binary fractions.
enum DecimalNanoseconds {
    /// - Parameters:
    ///   - text: Digits, at most one dot, at least one digit; no sign.
    ///   - unit: Nanoseconds of one unit of `text`.
    /// - Returns: nil where it is no such text, is finer than a nanosecond, or exceeds ±292 years.
    static func parse(_ text: Substring, unit: Int64) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count <= 2, !(parts[0].isEmpty && fraction.isEmpty), let whole = digits(parts[0]) else {
            return nil
        }
        let (scaled, overflow) = whole.multipliedReportingOverflow(by: unit)
        guard !overflow, let rest = parse(fraction: fraction, unit: unit) else { return nil }
        let (sum, overflowed) = scaled.addingReportingOverflow(rest)
        return overflowed ? nil : sum
    }

    private static func parse(fraction: Substring, unit: Int64) -> Int64? {
        var (rest, place) = (Int64(0), unit)
        for character in fraction {
            guard let digit = digits(Substring(String(character))) else { return nil }
            guard place % 10 == 0 || digit == 0 else { return nil }
            place /= 10
            rest += digit * place
        }
        return rest
    }

    private static func digits(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return text.isEmpty ? 0 : Int64(text)
    }
}
