internal import CPosix

/// An instant and the offset in which a person at the camera would read it.
public struct EXIFTimestamp: Hashable, Sendable {
    /// Nanoseconds of `CLOCK_REALTIME` (since 1970-01-01 UTC, leap seconds not counted).
    public let realtimeNanoseconds: Int64
    /// Minutes that local time is ahead of UTC.
    public let utcOffsetMinutes: Int

    /// Creates a timestamp; an offset beyond ±23:59 is brought to that limit, which keeps the instant right.
    public init(realtimeNanoseconds: Int64, utcOffsetMinutes: Int) {
        self.realtimeNanoseconds = realtimeNanoseconds
        self.utcOffsetMinutes = min(max(utcOffsetMinutes, -1439), 1439)
    }

    /// Local date and time to the second: `2026:01:02 03:04:05`.
    public var dateTime: String {
        let date = caprig_utc_date(localSeconds)
        let day = [Self.padded(date.year, 4), Self.padded(date.month, 2), Self.padded(date.day, 2)]
        let time = [date.hour, date.minute, date.second].map { Self.padded($0, 2) }
        return "\(day.joined(separator: ":")) \(time.joined(separator: ":"))"
    }

    /// The fraction of the second, nine digits.
    public var subSecond: String {
        Self.padded(Int(Self.floorDivide(realtimeNanoseconds, 1_000_000_000).remainder), 9)
    }

    /// The offset from UTC: `+01:00`.
    public var offset: String {
        let minutes = abs(utcOffsetMinutes)
        return "\(utcOffsetMinutes < 0 ? "-" : "+")\(Self.padded(minutes / 60, 2)):\(Self.padded(minutes % 60, 2))"
    }

    private var localSeconds: Int64 {
        Self.floorDivide(realtimeNanoseconds, 1_000_000_000).quotient + Int64(utcOffsetMinutes) * 60
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ value: some BinaryInteger, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
