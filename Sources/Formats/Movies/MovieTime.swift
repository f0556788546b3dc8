/// The time base of every picture track that is written here.
///
/// 90 000 is divisible by all common frame rates, and the movie's own time scale is the same, so that a time is kept
/// to 6 µs and nothing is rounded a second time by an edit list.
public enum MovieTime {
    /// Units in a second.
    public static let unitsPerSecond: Int64 = 90_000

    /// The nearest unit to a time in nanoseconds.
    public static func units(nanoseconds: Int64) -> Int64 {
        // In two steps, since nanoseconds of a few weeks times 90 000 exceed 64 bits.
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = rest * unitsPerSecond
        let rounded = (fraction + (fraction < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
        return seconds * unitsPerSecond + rounded
    }

    /// A time in units, to the microsecond below.
    public static func microseconds(units: Int64) -> Int64 {
        let (seconds, rest) = units.quotientAndRemainder(dividingBy: unitsPerSecond)
        return seconds &* 1_000_000 &+ rest * 1_000_000 / unitsPerSecond
    }
}
