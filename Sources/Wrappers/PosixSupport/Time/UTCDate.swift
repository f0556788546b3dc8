internal import CPosix

/// A date and time of day in UTC, from nanoseconds since 1970.
public struct UTCDate: Hashable, Sendable, CustomStringConvertible {
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int
    public let hour: Int
    public let minute: Int
    public let second: Int
    /// 0 to 999 999 999.
    public let nanosecond: Int

    /// - Parameter realtimeNanoseconds: `CLOCK_REALTIME`, nanoseconds since 1970-01-01T00:00:00Z. Every value is a valid date.
    public init(realtimeNanoseconds: Int64) {
        let (quotient, remainder) = realtimeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        nanosecond = Int(remainder < 0 ? remainder + 1_000_000_000 : remainder)
        // 64 bits of nanoseconds end in the year 2262, so every field fits.
        let date = caprig_utc_date(remainder < 0 ? quotient - 1 : quotient)
        year = Int(date.year)
        month = Int(date.month)
        day = Int(date.day)
        hour = Int(date.hour)
        minute = Int(date.minute)
        second = Int(date.second)
    }

    /// Returns the seconds from 1970 to the beginning of a day; nil for a day that does not exist, and outside the years 1 to 9999.
    public static func secondsSince1970(year: Int, month: Int, day: Int) -> Int64? {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let seconds = caprig_utc_seconds(CInt(year), CInt(month), CInt(day))
        // February 30, for example, would be a day of March.
        return caprig_utc_date(seconds).day == CInt(day) ? seconds : nil
    }

    /// ISO 8601 with all nine decimals: `2026-11-21T10:11:01.000000250Z`.
    public var description: String {
        "\(Self.pad(year, 4))-\(Self.pad(month, 2))-\(Self.pad(day, 2))T\(Self.pad(hour, 2)):\(Self.pad(minute, 2)):"
            + "\(Self.pad(second, 2)).\(Self.pad(nanosecond, 9))Z"
    }

    private static func pad(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// The kernel's identifier of the current boot of this machine.
public enum BootID {
    /// `/proc/sys/kernel/random/boot_id`, without its line end.
    /// - Throws: `PosixError` if `/proc` is not mounted.
    public static func ofThisMachine() throws(PosixError) -> String {
        // A file in `/proc` has no length, so it is read up to a limit.
        let file = try Folder(opening: "/proc/sys/kernel/random").open("boot_id", for: .reading)
        let bytes = try file.readStream(limit: 64)
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
