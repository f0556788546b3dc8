/// Seconds as an exact fraction, reduced: how FCPXML writes times.
///
/// The times of a take are within the limits: below 2³⁵ units of 1/90 000 s, and frames of a day, of a hundred thousand a
/// second at most.
struct RationalTime: Hashable, Comparable, CustomStringConvertible {
    let numerator: Int64
    /// Positive.
    let denominator: Int64

    static let zero = RationalTime(0, over: 1)

    init(_ numerator: Int64, over denominator: Int64) {
        let divisor = max(1, Self.commonDivisor(numerator.magnitude, denominator.magnitude))
        self.numerator = numerator / Int64(divisor)
        self.denominator = denominator / Int64(divisor)
    }

    static func + (left: Self, right: Self) -> Self {
        let divisor = Int64(commonDivisor(left.denominator.magnitude, right.denominator.magnitude))
        let (leftFactor, rightFactor) = (right.denominator / divisor, left.denominator / divisor)
        return Self(
            left.numerator * leftFactor + right.numerator * rightFactor, over: left.denominator * leftFactor)
    }

    static prefix func - (time: Self) -> Self { Self(-time.numerator, over: time.denominator) }

    static func < (left: Self, right: Self) -> Bool { (left + -right).numerator < 0 }

    /// `842/90000s`, `3s`
    var description: String { denominator == 1 ? "\(numerator)s" : "\(numerator)/\(denominator)s" }

    private static func commonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
        second == 0 ? first : commonDivisor(second, first % second)
    }
}
