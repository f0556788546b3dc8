/// What has become of a transaction: an outcome for every camera.
public struct SettingsReport: Hashable, Sendable {
    public var id: SettingsID
    /// Of every camera; the entries of each are in ``cameras``.
    public var settings: CaptureSettings
    /// The profile that was loaded, with its version; nil if none was.
    public var profile: ProfileReference?
    /// The transaction that this one undoes; nil if it undoes none. Of a run, the newest one.
    public var undoes: SettingsID?
    /// The run that this one undoes; nil if it undoes none.
    public var undoesRun: SettingsRunID?
    /// T; nil if it was not reached: no camera accepted the settings, or one of all that were required did not.
    public var time: RigTime?
    /// T on the coordinator's wall clock, nanoseconds since 1970; nil as ``time``.
    public var realtimeNanoseconds: Int64?
    /// In the order of the selection.
    public var cameras: [CameraSettingsReport]
    /// Devices that the selection left out; nil if there is none.
    public var leftOut: LeftOutDevices?

    public init(
        id: SettingsID, settings: CaptureSettings, time: RigTime? = nil, realtimeNanoseconds: Int64? = nil,
        cameras: [CameraSettingsReport] = [], leftOut: LeftOutDevices? = nil
    ) {
        self.id = id
        self.settings = settings
        self.profile = nil
        self.undoes = nil
        self.undoesRun = nil
        self.time = time
        self.realtimeNanoseconds = realtimeNanoseconds
        self.cameras = cameras
        self.leftOut = leftOut
    }
}

extension SettingsReport {
    /// The number of cameras by outcome; outcomes that no camera has are left out.
    public var outcomeCounts: [CameraSettingsOutcome.Word: Int] {
        cameras.reduce(into: [:]) { $0[$1.outcome.word, default: 0] += 1 }
    }
}
