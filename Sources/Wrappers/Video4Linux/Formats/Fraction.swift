import CVideo4Linux

/// A fraction as V4L2 states seconds per frame; comes from a driver, so both parts may be anything.
public struct Fraction: Hashable, Sendable {
    public var numerator: UInt32
    public var denominator: UInt32

    public init(_ numerator: UInt32, _ denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    init(_ fraction: cv4l_fraction) {
        self.init(fraction.numerator, fraction.denominator)
    }

    /// The fraction of a second in nanoseconds, nil unless it is positive.
    public var nanoseconds: Int64? {
        guard denominator > 0 else { return nil }
        let value = Int64(numerator) * 1_000_000_000 / Int64(denominator)
        return value > 0 ? value : nil
    }
}
