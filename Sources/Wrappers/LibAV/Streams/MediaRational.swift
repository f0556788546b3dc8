internal import CLibAV

/// A fraction: a unit of time in seconds, or frames in a second.
public struct MediaRational: Hashable, Sendable {
    public let numerator: Int32
    /// Not 0.
    public let denominator: Int32

    /// A fraction; a denominator of 0 is taken as 1, so that nothing divides by it.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator == 0 ? 1 : denominator
    }

    /// The nearest number of these units to a time in others.
    public func units(_ time: Int64, of other: MediaRational) -> Int64 {
        av_rescale_q(time, other.value, value)
    }

    init(_ value: AVRational) {
        self.init(value.num, value.den)
    }

    var value: AVRational { AVRational(num: numerator, den: denominator) }
}
