/// The label of a frame within a day, `HH:MM:SS:FF` (SMPTE ST 12-1). A `;` before the frame marks drop-frame time code,
/// which skips numbers to stay with the clock.
public struct SMPTETimecode: Hashable, Sendable, CustomStringConvertible {
    public let rate: FrameRate
    /// The count of frames since midnight, as QuickTime stores it. It restarts after a day.
    public let frame: Int64

    public init(frame: Int64, rate: FrameRate) {
        self.rate = rate
        let day = Self.framesPerDay(rate)
        self.frame = (frame % day + day) % day
    }

    /// Creates the label of an instant by the clock: the last frame that does not begin after it.
    public init(nanosecondsSinceMidnight: Int64, rate: FrameRate) {
        let elapsed = Int128(nanosecondsSinceMidnight)
        let second = Int128(1_000_000_000)
        // Without dropping, the numbers of a fractional rate fall behind the clock, so they begin with its time.
        let count =
            rate.isDropFrame
            ? elapsed * Int128(rate.numerator) / (Int128(rate.denominator) * second)
            : elapsed * Int128(rate.nominal) / second
        self.init(frame: Int64(truncatingIfNeeded: count), rate: rate)
    }

    /// Parses `HH:MM:SS:FF` or `HH:MM:SS;FF`; nil if the text labels no frame of this rate.
    public init?(_ text: String, rate: FrameRate) {
        let fields = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }.map { Int64($0) ?? -1 }
        guard fields.count == 4, fields.allSatisfy({ $0 >= 0 }), text.contains(";") == rate.isDropFrame,
            fields[0] < 24, fields[1] < 60, fields[2] < 60, fields[3] < rate.nominal
        else { return nil }
        let minutes = fields[0] * 60 + fields[1]
        let isLeftOut = fields[1] % 10 != 0 && fields[2] == 0 && fields[3] < Self.dropped(rate)
        guard !isLeftOut else { return nil }
        self.rate = rate
        frame = (minutes * 60 + fields[2]) * rate.nominal + fields[3] - Self.dropped(rate) * (minutes - minutes / 10)
    }

    /// Returns the label of the frame that is shown `elapsed` later, on the same day or a following one.
    /// - Parameters:
    ///   - elapsed: In units of 1/`timeScale` second.
    public func advanced(by elapsed: Int64, timeScale: Int64) -> SMPTETimecode {
        let counted = rate.timecodeRate
        let frames =
            Int128(elapsed) * Int128(counted.numerator) / (Int128(counted.denominator) * Int128(max(timeScale, 1)))
        let day = Int128(Self.framesPerDay(rate))
        return SMPTETimecode(frame: frame + Int64(truncatingIfNeeded: frames % day), rate: rate)
    }

    public var description: String {
        let nominal = rate.nominal
        let (seconds, rest) = number.quotientAndRemainder(dividingBy: nominal)
        let fields = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(Self.twoDigits)
        return fields.joined(separator: ":") + (rate.isDropFrame ? ";" : ":") + Self.twoDigits(rest)
    }

    /// The frame's number including those that are skipped: the first of each minute, except every tenth.
    private var number: Int64 {
        let dropped = Self.dropped(rate)
        guard dropped > 0 else { return frame }
        let (tens, rest) = frame.quotientAndRemainder(dividingBy: Self.framesPerTenMinutes(rate))
        let minutes = max(0, rest - dropped) / (60 * rate.nominal - dropped)
        return frame + dropped * (9 * tens + minutes)
    }

    /// The numbers that a minute skips.
    private static func dropped(_ rate: FrameRate) -> Int64 { rate.isDropFrame ? rate.nominal / 15 : 0 }

    private static func framesPerTenMinutes(_ rate: FrameRate) -> Int64 { 600 * rate.nominal - 9 * dropped(rate) }

    private static func framesPerDay(_ rate: FrameRate) -> Int64 { 144 * framesPerTenMinutes(rate) }

    private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

/// A frame rate as the fraction that a camera's nominal frame interval represents.
///
/// Intervals are integer nanoseconds, and cameras report them roughly. Time code and editing programs count by the
/// exact fraction: 33 366 667 ns represent 30000/1001 frames per second.
public struct FrameRate: Hashable, Sendable, CustomStringConvertible {
    /// The number of frames in `denominator` seconds.
    public let numerator: Int64
    /// The seconds that `numerator` frames last.
    public let denominator: Int64

    /// Creates the fraction nearest to an interval: an integer number of frames in one second, in 1.001 seconds, or in
    /// up to ten seconds, within 0.2 ‰; otherwise the interval itself.
    public init(interval: Duration) {
        self.init(interval, perMille: Self.nominalError)
    }

    /// Creates the first of these fractions, in their order, that is within 1 % of an interval that was measured.
    public init(measured interval: Duration) {
        self.init(interval, perMille: 10)
    }

    /// Creates a fraction from its ``description``.
    /// - Returns: nil for any other text, and for less than one frame in a day and a half or more than a hundred thousand
    ///   in a second.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let numerator = parts[0], let denominator = parts[1],
            (1...1_000_000_000).contains(numerator), (1...1 << 47).contains(denominator),
            numerator / 100_000 <= denominator, denominator / (1 << 17) <= numerator
        else { return nil }
        self.init(numerator, denominator)
    }

    private static let nominalError = 0.2

    private init(_ interval: Duration, perMille: Double) {
        // From a hundred thousand frames per second to one in a day and a half, so that no product of the fraction
        // overflows, here or in callers.
        let nanoseconds = min(max(interval.nanoseconds, 10_000), 1 << 47)
        let terms: [(frames: Int64, seconds: Int64)] = [(1, 1), (1000, 1001)] + (2...10).map { (1, $0) }
        for term in terms {
            let frames = Self.nearest(1_000_000_000 * term.seconds, nanoseconds * term.frames)
            let error = abs(frames * term.frames * nanoseconds - 1_000_000_000 * term.seconds)
            guard frames > 0, Double(error) <= perMille * 1_000_000 * Double(term.seconds) else { continue }
            (numerator, denominator) = (frames * term.frames, term.seconds)
            return
        }
        (numerator, denominator) = (1_000_000_000, nanoseconds)
    }

    private init(_ numerator: Int64, _ denominator: Int64) {
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    /// The frames per second for which time code has numbers, 1 to 1000.
    public var nominal: Int64 { min(max(Self.nearest(numerator, denominator), 1), 1000) }

    /// The rate at which time code counts: this one if it is an integer per second or per 1.001 seconds, otherwise the nominal one.
    public var timecodeRate: FrameRate {
        denominator == 1 || denominator == 1001 ? self : FrameRate(nominal, 1)
    }

    /// Whether time code skips numbers to stay with the clock: at 29.97, 59.94 and 119.88 frames per second.
    public var isDropFrame: Bool { denominator == 1001 && nominal % 30 == 0 }

    public var description: String { "\(numerator)/\(denominator)" }

    private static func nearest(_ dividend: Int64, _ divisor: Int64) -> Int64 {
        (dividend + divisor / 2) / divisor
    }
}
