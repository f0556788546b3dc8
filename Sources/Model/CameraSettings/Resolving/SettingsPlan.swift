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
        let isRefused = outcomes.contains { if case .refused = $0.result { true } else { false } }
        self.change = isRefused ? nil : change
    }

    public var isRefused: Bool { change == nil }

    /// The refused entries, each with its reason.
    public var refusals: [SettingOutcome] {
        outcomes.filter { if case .refused = $0.result { true } else { false } }
    }
}

/// What becomes of one entry of a request.
public struct SettingOutcome: Hashable, Sendable, CustomStringConvertible {
    public var entry: CaptureSettings.Entry
    public var result: Result

    public enum Result: Hashable, Sendable {
        /// As requested. Of `current`, the value that the camera has.
        case set(SettingValue)
        /// To the nearest value that the camera has, in the terms of the request.
        case rounded(to: SettingValue)
        /// Why the camera does not accept it, and what it accepts.
        case refused(String)
    }

    public var description: String {
        switch result {
        case .set(let value): "\(entry.name) is set to \(value)"
        case .rounded(let value): "\(entry) is rounded to \(value)"
        case .refused(let reason): "\(entry) is refused: \(reason)"
        }
    }
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
