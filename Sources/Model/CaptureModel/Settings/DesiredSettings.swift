/// What a camera is to have whenever it is opened: the values of its controls that transactions have given it, and settings that it has
/// not been given yet, because it did not stream.
public struct DesiredSettings: Hashable, Sendable {
    /// The transaction that was the last to change them; nil if a client has set one of the controls by name since.
    public var revision: SettingsID?
    /// The camera's hardware; to another one the values would mean something else.
    public var make: String?
    public var model: String?
    /// By the driver's names, in its units, as the camera has accepted them.
    public var values: [String: Int64]
    /// In the order of their requests; at most ``deferredLimit``.
    public var deferred: [DeferredSettings]

    /// Transactions that were given up before the camera was set, oldest first; at most ``givenUpLimit``. They are never carried out, so that
    /// an id that was refused stays refused.
    public var givenUp: [SettingsID]

    /// The most transactions that wait for a camera.
    public static let deferredLimit = 16
    /// The most transactions of which it is known that they were given up.
    public static let givenUpLimit = 64

    public init(
        revision: SettingsID?, make: String?, model: String?, values: [String: Int64],
        deferred: [DeferredSettings] = [], givenUp: [SettingsID] = []
    ) {
        self.givenUp = givenUp
        self.revision = revision
        self.make = make
        self.model = model
        self.values = values
        self.deferred = deferred
    }
}

/// Settings that a camera gets when it starts.
public struct DeferredSettings: Hashable, Sendable {
    public var id: SettingsID
    public var settings: CaptureSettings

    public init(id: SettingsID, settings: CaptureSettings) {
        self.id = id
        self.settings = settings
    }
}

/// A control whose value is not the one that the camera is to have.
public struct ControlDifference: Hashable, Sendable {
    /// The driver's name.
    public var control: String
    public var desired: Int64
    /// nil if it cannot be read.
    public var found: Int64?

    public init(control: String, desired: Int64, found: Int64?) {
        self.control = control
        self.desired = desired
        self.found = found
    }
}
