/// The name of a frame within a day, `HH:MM:SS:FF` (SMPTE ST 12-1); with `;` before the frame where numbers are left out to
/// keep to the clock (drop-frame).
public struct SMPTETimecode: Hashable, Sendable, CustomStringConvertible {
    public let rate: FrameRate
    /// Frames since midnight, as they are counted: what QuickTime stores. It begins again after a day.
    public let frame: Int64

    public init(frame: Int64, rate: FrameRate) {
        self.rate = rate
        let day = Self.framesPerDay(rate)
        self.frame = (frame % day + day) % day
    }

    /// The frame of an instant, by the clock: the first one that does not begin after it.
    public init(nanosecondsSinceMidnight: Int64, rate: FrameRate) {
        let elapsed = Int128(nanosecondsSinceMidnight)
        let second = Int128(1_000_000_000)
        // Without dropping, the numbers of a fractional rate fall behind the clock; so they begin with its time.
        let count =
            rate.isDropFrame
            ? elapsed * Int128(rate.numerator) / (Int128(rate.denominator) * second)
            : elapsed * Int128(rate.nominal) / second
        self.init(frame: Int64(truncatingIfNeeded: count), rate: rate)
    }

    /// Reads `HH:MM:SS:FF` or `HH:MM:SS;FF`; nil for a text that names no frame of this rate.
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

    /// The frame that is shown so much later, on the same day or a following one.
    /// - Parameters:
    ///   - elapsed: In units of which `timeScale` are a second.
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

    /// The frame's number with those that are left out: the first of each minute, but for every tenth.
    private var number: Int64 {
        let dropped = Self.dropped(rate)
        guard dropped > 0 else { return frame }
        let (tens, rest) = frame.quotientAndRemainder(dividingBy: Self.framesPerTenMinutes(rate))
        let minutes = max(0, rest - dropped) / (60 * rate.nominal - dropped)
        return frame + dropped * (9 * tens + minutes)
    }

    /// Numbers that a minute lacks.
    private static func dropped(_ rate: FrameRate) -> Int64 { rate.isDropFrame ? rate.nominal / 15 : 0 }

    private static func framesPerTenMinutes(_ rate: FrameRate) -> Int64 { 600 * rate.nominal - 9 * dropped(rate) }

    private static func framesPerDay(_ rate: FrameRate) -> Int64 { 144 * framesPerTenMinutes(rate) }

    private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
