/// What a camera makes of a transaction before T. Nothing is set yet.
public struct SettingsPreparation: Hashable, Sendable {
    /// One for each entry, in the order of the request. If one is refused, the camera sets nothing.
    public var outcomes: [SettingOutcome]
    /// Sentences about what else changes, such as an automatic mode that is switched off.
    public var notes: [String]
    /// How long before T the camera's node sets the controls, so that they act at T: the measured delay of the camera; 0 if it was not
    /// measured.
    public var leadNanoseconds: Int64
    /// Whether the camera does not stream, so that it gets the settings when it starts. Then there are outcomes of refused entries only.
    public var isDeferred: Bool
    /// Settings that give the camera the values that it has before, by the driver's names; empty if no control is set; nil if they are not
    /// known.
    public var earlier: CaptureSettings?

    public init(
        outcomes: [SettingOutcome], notes: [String] = [], leadNanoseconds: Int64 = 0, isDeferred: Bool = false,
        earlier: CaptureSettings? = nil
    ) {
        self.earlier = earlier
        self.outcomes = outcomes
        self.notes = notes
        self.leadNanoseconds = leadNanoseconds
        self.isDeferred = isDeferred
    }

    public var lead: Duration { .nanoseconds(leadNanoseconds) }
    public var isRefused: Bool { !outcomes.refusals.isEmpty }
}
