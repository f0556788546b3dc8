/// Settings that the coordinator knows.
public enum SettingsOrigin: Hashable, Sendable {
    /// Those of a profile, for its cameras.
    case profile(ProfileReference)
    /// The values that cameras had before a transaction.
    case undo(UndoScope)
}

/// What is undone.
public struct UndoScope: Hashable, Sendable {
    /// A transaction, or with the id of a run, all transactions of it. nil: the newest transaction that is not undone, with those of its run;
    /// with ``cameras``, the newest at one of these.
    public var transaction: SettingsID?
    /// The only cameras of it that are undone; empty: all.
    public var cameras: [DeviceID]

    /// All cameras of the newest transaction that is not undone, and of its run.
    public static let newest = UndoScope()

    public init(_ transaction: SettingsID? = nil, cameras: [DeviceID] = []) {
        self.transaction = transaction
        self.cameras = cameras
    }

    public init(_ run: SettingsRunID, cameras: [DeviceID] = []) {
        self.init(SettingsID(run.uuid), cameras: cameras)
    }

    /// Whether it names a run.
    public func names(_ run: SettingsRunID?) -> Bool { run != nil && transaction?.uuid == run?.uuid }
}

/// What has become of a transaction at one camera.
public struct CameraSettingsReport: Hashable, Sendable {
    public var device: DeviceID
    /// One for each entry; empty if the camera did not answer.
    public var entries: [SettingOutcome]
    /// Sentences about what else has changed.
    public var notes: [String]
    public var outcome: CameraSettingsOutcome

    public init(
        device: DeviceID, entries: [SettingOutcome] = [], notes: [String] = [], outcome: CameraSettingsOutcome
    ) {
        self.device = device
        self.entries = entries
        self.notes = notes
        self.outcome = outcome
    }
}

/// The outcome of a transaction at one camera.
public enum CameraSettingsOutcome: Hashable, Sendable {
    /// The camera accepted every value as requested.
    case set(SettingsEffect)
    /// The camera accepted every value, at least one of them rounded.
    case rounded(SettingsEffect)
    /// The camera does not stream. It gets the settings before the first frame of its next start.
    case deferred(RigProblem)
    /// The camera does not accept an entry, or cannot be set at present. It was not changed.
    case refused(RigProblem)
    /// The camera accepted the settings, but setting them failed. Whether it was changed is in the sentence.
    case failed(RigProblem)
    /// The camera did not answer after it was told to set. Whether it was changed is not known.
    case lost(RigProblem)
    /// All cameras were required and one of them does not have the settings, so this one has the values that it had before.
    case undone(RigProblem)
}

extension CameraSettingsOutcome {
    /// The outcome as one word.
    public enum Word: String, Hashable, Codable, Sendable, CaseIterable {
        case set, rounded, deferred, refused, failed, lost, undone
    }

    public var word: Word {
        switch self {
        case .set: .set
        case .rounded: .rounded
        case .deferred: .deferred
        case .refused: .refused
        case .failed: .failed
        case .lost: .lost
        case .undone: .undone
        }
    }

    /// When and from which frame on the camera has the settings; nil if it does not have them, or it is not known.
    public var effect: SettingsEffect? {
        switch self {
        case .set(let effect), .rounded(let effect): effect
        case .deferred, .refused, .failed, .lost, .undone: nil
        }
    }

    /// Why the camera does not have the settings; nil if it has them.
    public var problem: RigProblem? {
        switch self {
        case .set, .rounded: nil
        case .deferred(let problem), .refused(let problem), .failed(let problem), .lost(let problem),
            .undone(let problem):
            problem
        }
    }
}
