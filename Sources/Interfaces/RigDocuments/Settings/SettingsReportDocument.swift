public import CaptureModel

/// What has become of a settings transaction: `capctl settings set`, `apply`, `load` and `undo`. Settings and values are in the text grammar of docs/settings.md.
public struct SettingsReportDocument: Encodable, Sendable {
    var cameras: [Camera]
    /// Devices that match the selection and are left out, because their nodes do not configure them; absent if there are none.
    var notConfigured: [String]?
    /// The profile that was loaded, `NAME@VERSION`; absent if none was.
    var profile: String?
    /// T by the coordinator's wall clock: RFC 3339; absent if T was not reached.
    var time: String?
    /// T, rig time.
    var timeRigNanoseconds: Integer64?
    /// Of every camera; empty if each has its own.
    var settings: String
    var settingsId: String
    /// The id of the transaction that was undone; absent if none was. Of a run, the newest one.
    var undoes: String?
    /// The id of the run that was undone; absent if none was.
    var undoesRun: String?

    public init(_ report: SettingsReport) {
        cameras = report.cameras.map(Camera.init)
        notConfigured = report.leftOut?.devices.map(\.description)
        time = report.realtimeNanoseconds.map(RFC3339.text(realtimeNanoseconds:))
        timeRigNanoseconds = (report.time?.nanoseconds).map(Integer64.init)
        settings = report.settings.description
        settingsId = report.id.description
        profile = report.profile?.description
        undoes = report.undoes?.description
        undoesRun = report.undoesRun?.description
    }

    struct Camera: Encodable {
        var device: String
        var effect: Effect?
        var entries: [Entry]
        var notes: [String]
        var outcome: CameraSettingsOutcome.Word
        var problem: RigProblem?
    }

    struct Entry: Encodable {
        var entry: String
        /// Why the camera refuses the entry.
        var refused: String?
        /// `set`, `rounded` or `refused`.
        var result: String
        /// The value of the camera; absent for a refused entry.
        var value: String?
    }

    struct Effect: Encodable {
        var acceptedBoundNanoseconds: Integer64
        var acceptedRigNanoseconds: Integer64
        /// By the driver's names, read back.
        var controls: [String: Integer64]
        var evidence: SettingsChangeover.Evidence
        var firstNew: Frame?
        var lastOld: Frame?
        /// true if the two frames are of different streams; otherwise absent.
        var streamReopened: Bool?
    }

    struct Frame: Encodable {
        var boundNanoseconds: Integer64
        /// Mid-exposure.
        var rigNanoseconds: Integer64
        var sequence: Integer64
    }
}

extension SettingsReportDocument.Camera {
    fileprivate init(_ camera: CameraSettingsReport) {
        device = camera.device.description
        effect = camera.outcome.effect.map(SettingsReportDocument.Effect.init)
        entries = camera.entries.map(SettingsReportDocument.Entry.init)
        notes = camera.notes
        outcome = camera.outcome.word
        problem = camera.outcome.problem
    }
}

extension SettingsReportDocument.Entry {
    fileprivate init(_ outcome: SettingOutcome) {
        entry = outcome.entry.description
        switch outcome.result {
        case .set(let value): (result, self.value) = ("set", value.description)
        case .rounded(let value): (result, self.value) = ("rounded", value.description)
        case .refused(let reason): (result, refused) = ("refused", reason)
        }
    }
}

extension SettingsReportDocument.Effect {
    fileprivate init(_ effect: SettingsEffect) {
        acceptedBoundNanoseconds = Integer64(effect.accepted.boundNanoseconds)
        acceptedRigNanoseconds = Integer64(effect.accepted.time.nanoseconds)
        controls = effect.controls.mapValues { Integer64($0) }
        evidence = effect.change.evidence
        firstNew = effect.change.firstNew.map(SettingsReportDocument.Frame.init)
        lastOld = effect.change.lastOld.map(SettingsReportDocument.Frame.init)
        streamReopened = effect.change.streamReopened
    }
}

extension SettingsReportDocument.Frame {
    fileprivate init(_ mark: FrameMark) {
        boundNanoseconds = Integer64(mark.midExposure.boundNanoseconds)
        rigNanoseconds = Integer64(mark.midExposure.time.nanoseconds)
        sequence = Integer64(mark.sequence)
    }
}
