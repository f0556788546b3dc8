/// Frames a second, as the fraction that a camera's nominal frame interval stands for.
///
/// Intervals are whole nanoseconds and cameras tell them roughly, while time code and editing programs count by the exact
/// fraction: 33 366 667 ns are 30000/1001 frames a second.
public struct FrameRate: Hashable, Sendable, CustomStringConvertible {
    /// So many frames …
    public let numerator: Int64
    /// … come in so many seconds.
    public let denominator: Int64

    /// The fraction nearest to an interval: whole frames in one second, in 1.001 seconds, or in up to ten, within 0.2 ‰; else
    /// the interval as it stands.
    public init(interval: Duration) {
        // From a hundred thousand frames a second to one in a day and a half, so that no product, here or of who reckons with
        // the fraction, overflows.
        let nanoseconds = min(max(interval.nanoseconds, 10_000), 1 << 47)
        let terms: [(frames: Int64, seconds: Int64)] = [(1, 1), (1000, 1001)] + (2...10).map { (1, $0) }
        for term in terms {
            let frames = Self.nearest(1_000_000_000 * term.seconds, nanoseconds * term.frames)
            let error = abs(frames * term.frames * nanoseconds - 1_000_000_000 * term.seconds)
            guard frames > 0, error * 5 <= 1_000_000 * term.seconds else { continue }
            (numerator, denominator) = (frames * term.frames, term.seconds)
            return
        }
        (numerator, denominator) = (1_000_000_000, nanoseconds)
    }

    private init(_ numerator: Int64, _ denominator: Int64) {
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    /// Whole frames a second that time code has numbers for, 1 to 1000.
    public var nominal: Int64 { min(max(Self.nearest(numerator, denominator), 1), 1000) }

    /// The rate at which time code counts: this one where it is whole, or whole in 1.001 seconds, else the nominal one.
    public var timecodeRate: FrameRate {
        denominator == 1 || denominator == 1001 ? self : FrameRate(nominal, 1)
    }

    /// Whether time code leaves numbers out so as to keep to the clock: at 29.97, 59.94 and 119.88 frames a second.
    public var isDropFrame: Bool { denominator == 1001 && nominal % 30 == 0 }

    public var description: String { "\(numerator)/\(denominator)" }

    private static func nearest(_ dividend: Int64, _ divisor: Int64) -> Int64 {
        (dividend + divisor / 2) / divisor
    }
}
