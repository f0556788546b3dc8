import CaptureModel

/// What pictures of a screen tell of a camera's stamps. The screen's own lag is not known: it is the same for all cameras
/// that saw the screen, so the difference of two cameras does not contain it.
public struct ScreenTiming: Hashable, Sendable {
    /// What to add to the stated mid-exposure so that it is the true one, if the screen had no lag. Negative for a camera
    /// that stamps late.
    public var correction: Duration
    /// How wrong `correction` may be, because switches fell between exposures or pictures have noise.
    public var fit: Duration
    /// How far stamps of single pictures deviate from `correction`; 98 % of them deviate less.
    public var jitter: Duration
    /// The largest error of the clocks.
    public var clock: Duration
    /// How long it takes until a switch is complete: the exposure time, and the time that the screen needs to switch.
    public var blur: Duration
    /// From the exposure of the first row to that of the last one, by the camera and by the screen together; nil if the
    /// screen is seen in too few rows.
    public var rows: Duration?
    /// How wrong `rows` may be; zero without it.
    public var rowsError: Duration
    public var pictures: Int
    public var switches: Int
    /// The share of the picture that shows the screen, 0 to 1.
    public var area: Double
    /// How wrong `correction` may be because the middle row of the picture does not show that of the screen, whose lag is meant.
    public var scan = Duration.zero

    /// The largest error of `correction`, but for the screen's lag.
    public var error: Duration { fit + clock + scan }

    /// The largest error of a stamp to which `correction` was added, but for the screen's lag.
    public var uncertainty: Duration { error + jitter }

    /// Returns what to add to the stamps, and the largest error of a stamp after that.
    /// - Parameter lag: Of the screen: from its stated switch to light.
    public func latency(_ lag: ScreenLag) -> (correction: Duration, uncertainty: Duration) {
        (correction + lag.middle, uncertainty + lag.halfWidth)
    }
}

/// From the instant at which a screen is said to switch to the light of its middle row that shows it: at least and at most.
public struct ScreenLag: Hashable, Sendable {
    public let least: Duration
    public let most: Duration

    /// - Returns: nil if `least` is greater than `most`.
    public init?(least: Duration, most: Duration) {
        guard least <= most else { return nil }
        (self.least, self.most) = (least, most)
    }

    private init(_ least: Duration, _ most: Duration) { (self.least, self.most) = (least, most) }

    /// A screen of which nothing was measured.
    public static let unknown = ScreenLag(.zero, .milliseconds(60))
    /// A light-emitting diode.
    public static let none = ScreenLag(.zero, .zero)

    public var middle: Duration { (least + most) / 2 }
    public var halfWidth: Duration { (most - least) / 2 }

    /// Returns the same, and what is less or more by at most an error.
    public func widened(by error: Duration) -> ScreenLag {
        ScreenLag(least - error.magnitude, most + error.magnitude)
    }

    /// Returns what is left of it if a camera whose stamps are known saw the screen.
    /// - Parameter stampBound: The largest error of the camera's stamps.
    /// - Returns: nil if the two contradict each other.
    public func narrowed(by reference: ScreenTiming, stampBound: Duration) -> ScreenLag? {
        let middle = .zero - reference.correction
        let error = reference.error + stampBound
        return ScreenLag(least: max(least, middle - error), most: min(most, middle + error))
    }
}
