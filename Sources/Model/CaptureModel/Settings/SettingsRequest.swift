/// A request for settings of several cameras at one instant.
public struct SettingsRequest: Hashable, Sendable {
    /// Created by the client. A repeated request is carried out once.
    public var id: SettingsID
    public var selection: Selection
    /// Of every selected camera; empty if ``cameras`` or ``origin`` has them.
    public var settings: CaptureSettings
    /// Further settings of single cameras of the selection. An entry replaces the one of the same name in ``settings``.
    public var cameras: [DeviceID: CaptureSettings]
    /// What the coordinator knows the settings from; nil if the request has them. Otherwise it has none itself, and selects no cameras.
    public var origin: SettingsOrigin?
    /// When the new values are to come into the pictures; ``RequestedTime/soon(lead:)`` as soon as every camera is prepared.
    public var time: RequestedTime
    /// Whether all cameras keep their values if one of them does not accept them, or is left out of the selection.
    public var requireAll: Bool
    /// The run that it is part of; nil if it is undone by itself. An undo is part of none.
    public var run: SettingsRunID?

    public init(
        id: SettingsID, selection: Selection, settings: CaptureSettings, cameras: [DeviceID: CaptureSettings] = [:],
        time: RequestedTime = .soon(lead: nil), requireAll: Bool = false, run: SettingsRunID? = nil
    ) {
        self.run = run
        self.id = id
        self.selection = selection
        self.settings = settings
        self.cameras = cameras
        self.time = time
        self.requireAll = requireAll
    }

    /// - Parameter origin: What the coordinator knows cameras and settings from.
    public init(
        id: SettingsID, origin: SettingsOrigin, time: RequestedTime = .soon(lead: nil), requireAll: Bool = false
    ) {
        self.init(
            id: id, selection: Selection(), settings: CaptureSettings(), time: time, requireAll: requireAll)
        self.origin = origin
    }
}
