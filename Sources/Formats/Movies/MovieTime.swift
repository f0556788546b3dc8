/// The time base of every picture track that this module writes.
///
/// 90 000 is divisible by all common frame rates. The movie's time scale is the same, so a time is exact to 6 µs and an
/// edit list does not round it again.
public enum MovieTime {
    /// Units in a second.
    public static let unitsPerSecond: Int64 = 90_000

    /// Returns the unit nearest to a time in nanoseconds.
    public static func units(nanoseconds: Int64) -> Int64 {
        // In two steps, because nanoseconds of a few weeks times 90 000 exceed 64 bits.
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = rest * unitsPerSecond
        let rounded = (fraction + (fraction < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
        return seconds * unitsPerSecond + rounded
    }

    /// Returns a time in microseconds, rounded down.
    public static func microseconds(units: Int64) -> Int64 {
        let (seconds, rest) = units.quotientAndRemainder(dividingBy: unitsPerSecond)
        return seconds &* 1_000_000 &+ rest * 1_000_000 / unitsPerSecond
    }
}
