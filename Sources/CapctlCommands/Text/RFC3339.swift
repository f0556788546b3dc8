/// RFC 3339 dates with nanoseconds, which `Date` cannot hold.
enum RFC3339 {
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000
    private static let secondsPerDay: Int64 = 86_400

    /// `2026-11-21T10:15:43.123456789Z`, always with nine decimals so that texts sort as times.
    /// - Parameter nanoseconds: `CLOCK_REALTIME`, since 1970.
    static func text(realtimeNanoseconds nanoseconds: Int64) -> String {
        let fraction = modulo(nanoseconds, nanosecondsPerSecond)
        let seconds = (nanoseconds &- fraction) / nanosecondsPerSecond
        let secondOfDay = modulo(seconds, secondsPerDay)
        let date = CivilDate(daysSince1970: Int((seconds - secondOfDay) / secondsPerDay))
        let day = [padded(Int64(date.year), 4), padded(Int64(date.month), 2), padded(Int64(date.day), 2)]
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { padded($0, 2) }
        return "\(day.joined(separator: "-"))T\(time.joined(separator: ":")).\(padded(fraction, 9))Z"
    }

    /// Nanoseconds since 1970 of `2026-11-21T11:15:43.5+01:00`; the fraction has up to nine digits, an offset is
    /// required, and a leap second is refused because `CLOCK_REALTIME` does not count it.
    static func realtimeNanoseconds(_ text: String) -> Int64? {
        let text = text.uppercased()
        guard let separator = text.firstIndex(where: { $0 == "T" || $0 == " " }) else { return nil }
        let clock = text[text.index(after: separator)...]
        guard let days = days(text[..<separator]),
            let offsetStart = clock.firstIndex(where: { $0 == "Z" || $0 == "+" || $0 == "-" }),
            let time = nanosecondOfDay(clock[..<offsetStart]), let offset = offsetSeconds(clock[offsetStart...])
        else { return nil }
        let seconds = Int64(days) * secondsPerDay - offset
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: nanosecondsPerSecond)
        let (sum, overflowed) = scaled.addingReportingOverflow(time)
        return overflow || overflowed ? nil : sum
    }

    private static func days(_ text: Substring) -> Int? {
        guard let fields = fields(text, separator: "-", widths: [4, 2, 2]) else { return nil }
        return CivilDate(year: fields[0], month: fields[1], day: fields[2])?.daysSince1970
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

    private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let remainder = value % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
