/// A non-negative fraction as Exif stores it.
public struct EXIFRational: Hashable, Sendable {
    /// Above the line.
    public let numerator: UInt32
    /// Below the line.
    public let denominator: UInt32

    /// Creates a fraction as given, not reduced.
    public init(_ numerator: UInt32, _ denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// A duration in seconds, reduced: 10 ms is 1/100.
    ///
    /// Nil when it is negative or does not fit; above two seconds it is rounded down to a microsecond.
    public init?(secondsFromNanoseconds nanoseconds: Int64) {
        guard nanoseconds >= 0 else { return nil }
        let (count, unit): (Int64, Int64) =
            nanoseconds <= 2_000_000_000 ? (nanoseconds, 1_000_000_000) : (nanoseconds / 1000, 1_000_000)
        let divisor = Self.greatestCommonDivisor(count, unit)
        guard let numerator = UInt32(exactly: count / divisor), let denominator = UInt32(exactly: unit / divisor) else {
            return nil
        }
        self.init(numerator, denominator)
    }

    private static func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}
