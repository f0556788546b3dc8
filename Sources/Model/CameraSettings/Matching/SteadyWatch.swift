public import CaptureModel

/// Decides from measurements, one after the other, when the pictures of a camera are steady: its automatic modes have
/// reached their goal, and the light does not change. A value without a clock.
///
/// | state | measured | next state |
/// |---|---|---|
/// | first, adjusting | differs from the one before, or drifts | adjusting |
/// | adjusting | like the one before, without drift | steady |
/// | adjusting | the time is over | gave up |
///
/// Flickering light makes frames differ. It does not count, because a measurement is the mean of many.
public struct SteadyWatch: Sendable {
    /// How much two measurements of steady pictures may differ, and the halves of one.
    public static let limit = 0.01

    /// The newest measurement; nil before the first.
    public private(set) var newest: PictureMeasurement?
    /// The difference between the newest two; nil before the second.
    public private(set) var difference: Double?
    public private(set) var isSteady = false

    public init() {}

    /// Adds a measurement.
    /// - Returns: Whether the pictures are steady.
    public mutating func add(_ measurement: PictureMeasurement) -> Bool {
        difference = newest.map { earlier in
            MatchMachine.deviations(of: measurement.linear, from: earlier.linear).map(abs).max() ?? 0
        }
        newest = measurement
        // The halves of a measurement may fall on different parts of the flicker; whole measurements do less.
        let drift = max(abs(measurement.drift) - measurement.spread / 4, 0)
        isSteady = (difference ?? .infinity) <= Self.limit && drift <= Self.limit
        return isSteady
    }
}
