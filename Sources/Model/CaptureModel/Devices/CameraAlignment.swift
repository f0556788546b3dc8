/// A request to align a camera: to move its mid-exposures to those instants of rig time that are multiples of its frame interval, and to
/// keep them there.
public struct AlignmentRequest: Hashable, Sendable {
    public static let toleranceLimits = Duration.microseconds(1)...Duration.seconds(1)
    public static let budgetLimits = Duration.zero...Duration.seconds(540)

    /// The largest distance from these instants at which a camera counts as aligned. A camera that can be moved is moved nearer.
    public var tolerance: Duration
    /// For how long a camera that only a restart moves may be restarted, in all; zero: it is never restarted.
    public var restartBudget: Duration

    /// - Parameters: Values beyond the limits are replaced by the limits.
    public init(tolerance: Duration = .microseconds(100), restartBudget: Duration = .zero) {
        self.tolerance = min(max(tolerance, Self.toleranceLimits.lowerBound), Self.toleranceLimits.upperBound)
        self.restartBudget = min(max(restartBudget, Self.budgetLimits.lowerBound), Self.budgetLimits.upperBound)
    }
}

/// How well a camera is aligned that is to be.
public struct CameraAlignment: Hashable, Codable, Sendable {
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// It is being moved, or its phase is not known.
        case aligning
        /// Its exposures are where they are to be, within the tolerance.
        case aligned
        /// Nothing moves its exposures there; the reason says why.
        case unmovable
    }

    public var state: State
    /// A sentence without its subject that says why it is not aligned; nil while it is, and while it is only being moved.
    public var reason: String?
    /// How long after the nearest of the instants its exposures are, as last measured, in nanoseconds; negative: before it. nil while that is
    /// not known.
    public var latenessNanoseconds: Int64?
    /// The largest error of the lateness, in nanoseconds, that clock and stamps may have; nil with it.
    public var boundNanoseconds: Int64?
    /// How often its exposures were moved, and how often it was restarted, since it was requested.
    public var corrections: Int
    public var restarts: Int

    public init(
        state: State, reason: String? = nil, lateness: Duration? = nil, bound: Duration? = nil, corrections: Int = 0,
        restarts: Int = 0
    ) {
        self.state = state
        self.reason = reason
        latenessNanoseconds = lateness?.nanoseconds
        boundNanoseconds = bound?.nanoseconds
        self.corrections = corrections
        self.restarts = restarts
    }

    public var lateness: Duration? { latenessNanoseconds.map { .nanoseconds($0) } }
    public var bound: Duration? { boundNanoseconds.map { .nanoseconds($0) } }
}
