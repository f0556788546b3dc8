public import CaptureModel

/// What a request for settings means for one camera: an outcome for each entry, and what to do.
///
/// A plan is carried out completely or not at all: if one entry is refused, there is nothing to do.
public struct SettingsPlan: Hashable, Sendable {
    /// One for each entry, in the order of the request.
    public let outcomes: [SettingOutcome]
    /// What to do; nil if the camera refuses the request.
    public let change: SettingsChange?

    init(outcomes: [SettingOutcome], change: SettingsChange) {
        self.outcomes = outcomes
        self.change = outcomes.refusals.isEmpty ? change : nil
    }

    public var isRefused: Bool { change == nil }
}

/// What to do to a camera.
public struct SettingsChange: Hashable, Sendable {
    /// In the order in which they must be set: modes before the values that depend on them.
    public var driverValues: [DriverValue] = []
    /// How the stream must be opened again; nil if it stays as it is.
    public var stream: StreamChange?
    /// Sentences about what else changes.
    public var notes: [String] = []
}

/// A control with the value to set.
public struct DriverValue: Hashable, Sendable {
    /// As `DeviceControl.name` spells it.
    public var control: String
    public var value: Int64
    /// How late the camera acts, if that was measured.
    public var delay: FrameDelay?
}

/// The format and frame interval of a stream that is opened again.
public struct StreamChange: Hashable, Sendable {
    /// nil for the present one.
    public var format: RequestedFormat?
    /// nil for the default of the format.
    public var frameIntervalNanoseconds: Int64?
}
