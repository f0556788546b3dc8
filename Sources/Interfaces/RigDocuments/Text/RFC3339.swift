internal import PosixSupport

/// RFC 3339 dates with nanoseconds, which `Date` cannot hold.
public enum RFC3339 {
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000
    private static let secondsPerDay: Int64 = 86_400
    private static let dayNanoseconds = secondsPerDay * nanosecondsPerSecond

    /// `2026-11-21T10:15:43.123456789Z`, always with nine decimals so that texts sort as times.
    /// - Parameter nanoseconds: `CLOCK_REALTIME`, since 1970.
    public static func text(realtimeNanoseconds nanoseconds: Int64) -> String {
        UTCDate(realtimeNanoseconds: nanoseconds).description
    }

    /// Nanoseconds since 1970 of `2026-11-21T11:15:43.5+01:00`; the fraction has up to nine digits, an offset is
    /// required, and a leap second is refused because `CLOCK_REALTIME` does not count it.
    public static func realtimeNanoseconds(_ text: String) -> Int64? {
        let text = text.uppercased()
        guard let separator = text.firstIndex(where: { $0 == "T" || $0 == " " }) else { return nil }
        let clock = text[text.index(after: separator)...]
        guard let day = secondsSince1970(text[..<separator]),
            let offsetStart = clock.firstIndex(where: { $0 == "Z" || $0 == "+" || $0 == "-" }),
            let time = nanosecondOfDay(clock[..<offsetStart]), let offset = offsetSeconds(clock[offsetStart...])
        else { return nil }
        let seconds = day - offset
        // Before 1970 the day is counted from its end, so that the intermediate sum does not exceed 64 bits.
        let (whole, rest) = seconds < 0 ? (seconds + secondsPerDay, time - dayNanoseconds) : (seconds, time)
        let (scaled, overflow) = whole.multipliedReportingOverflow(by: nanosecondsPerSecond)
        let (sum, overflowed) = scaled.addingReportingOverflow(rest)
        return overflow || overflowed ? nil : sum
    }

    private static func secondsSince1970(_ day: Substring) -> Int64? {
        guard let fields = fields(day, separator: "-", widths: [4, 2, 2]) else { return nil }
        return UTCDate.secondsSince1970(year: fields[0], month: fields[1], day: fields[2])
    }

    private static func nanosecondOfDay(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let clock = fields(parts[0], separator: ":", widths: [2, 2, 2]),
            clock[0] < 24, clock[1] < 60, clock[2] < 60
        else { return nil }
        let seconds = Int64(clock[0] * 3600 + clock[1] * 60 + clock[2])
        guard parts.count == 2 else { return seconds * nanosecondsPerSecond }
        guard !parts[1].isEmpty, let fraction = DecimalNanoseconds.parse("0." + parts[1], unit: nanosecondsPerSecond)
        else { return nil }
        return seconds * nanosecondsPerSecond + fraction
    }

    private static func offsetSeconds(_ text: Substring) -> Int64? {
        if text == "Z" { return 0 }
        guard let clock = fields(text.dropFirst(), separator: ":", widths: [2, 2]), clock[0] < 24, clock[1] < 60
        else { return nil }
        return Int64(clock[0] * 3600 + clock[1] * 60) * (text.first == "-" ? -1 : 1)
    }

    private static func fields(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == widths else { return nil }
        let numbers = parts.compactMap { part in part.allSatisfy(\.isNumber) ? Int(part) : nil }
        return numbers.count == widths.count ? numbers : nil
    }
}

/// Converts decimal text such as `0.25` into integer nanoseconds without binary fractions.
public enum DecimalNanoseconds {
    /// - Parameters:
    ///   - text: Digits, at most one dot, at least one digit; no sign.
    ///   - unit: Nanoseconds of one unit of `text`.
    /// - Returns: nil if the text has another form, is finer than a nanosecond, or exceeds ±292 years.
    public static func parse(_ text: Substring, unit: Int64) -> Int64? {
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
