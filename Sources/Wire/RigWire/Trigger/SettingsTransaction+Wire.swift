public import CaptureModel
internal import FoundationEssentials
public import RigProtocol
import SwiftProtobuf

extension SettingsRequest {
    public init(wire: WireApplySettings) throws(WireError) {
        let reader = FieldReader("ApplySettings")
        let time = try RequestedTime(wire: wire.time)
        let id = try reader.settingsID(wire.settingsID)
        let run = try reader.settingsRunID(wire.runID, "run_id")
        if let origin = wire.origin {
            guard wire.settings.isEmpty, wire.cameras.isEmpty else {
                throw reader.invalid("settings", "must be empty beside 'profile' or 'undo', and so must 'cameras'")
            }
            self.init(
                id: id, origin: try SettingsOrigin(wire: origin), time: time, requireAll: wire.requireAll)
            if case .undo = origin, run != nil { throw reader.invalid("run_id", "must be empty beside 'undo'") }
            self.run = run
            return
        }
        let cameras = try reader.cameras(wire.cameras)
        self.init(
            id: id,
            selection: try Selection(wire: wire.selection),
            settings: cameras.isEmpty
                ? try reader.settings(wire.settings) : try reader.anySettings(wire.settings, "settings"),
            cameras: cameras, time: time, requireAll: wire.requireAll, run: run)
    }

    public var wire: WireApplySettings {
        var wire = WireApplySettings()
        wire.settingsID = id.wire
        if origin == nil { wire.selection = selection.wire }
        wire.settings = "\(settings)"
        wire.cameras = cameras.sorted { $0.key < $1.key }.map { device, settings in
            .with {
                $0.device = device.wire
                $0.settings = "\(settings)"
            }
        }
        wire.origin = origin?.wire
        wire.time = time.wire
        wire.requireAll = requireAll
        wire.runID = run?.wire ?? Data()
        return wire
    }
}

extension SettingsOrigin {
    init(wire: WireApplySettings.OneOf_Origin) throws(WireError) {
        switch wire {
        case .profile(let profile): self = .profile(try ProfileReference(wire: profile))
        case .undo(let undo):
            let reader = FieldReader("UndoTransaction")
            let devices = try reader.list(undo.devices, "devices", limit: SettingsProfile.cameraLimit)
            self = .undo(
                UndoScope(
                    undo.settingsID.isEmpty ? nil : try reader.settingsID(undo.settingsID),
                    cameras: try devices.map { (device) throws(WireError) in try DeviceID(wire: device) }))
        }
    }

    var wire: WireApplySettings.OneOf_Origin {
        switch self {
        case .profile(let profile): .profile(profile.wire)
        case .undo(let scope):
            .undo(
                .with {
                    $0.settingsID = scope.transaction?.wire ?? Data()
                    $0.devices = scope.cameras.map(\.wire)
                })
        }
    }
}

extension FieldReader {
    /// The settings of single cameras.
    fileprivate func cameras(_ wire: [WireCameraSettings]) throws(WireError) -> [DeviceID: CaptureSettings] {
        var cameras: [DeviceID: CaptureSettings] = [:]
        for entry in try list(wire, "cameras", limit: SettingsProfile.cameraLimit) {
            let device = try DeviceID(wire: try present(entry.hasDevice ? entry.device : nil, "cameras.device"))
            guard cameras.updateValue(try settings(entry.settings, "cameras.settings"), forKey: device) == nil else {
                throw invalid("cameras", "names \(device) twice")
            }
        }
        return cameras
    }
}

extension SettingsReport {
    public init(wire: WireSettingsReport) throws(WireError) {
        let reader = FieldReader("SettingsReport")
        let cameras = try reader.list(wire.cameras, "cameras", limit: WireLimits.devicesPerRequest)
        let notConfigured = try reader.list(
            wire.notConfigured, "not_configured", limit: WireLimits.devicesPerRequest)
        self.init(
            id: try reader.settingsID(wire.settingsID), settings: try reader.anySettings(wire.settings, "settings"),
            time: wire.hasRigNs ? RigTime(nanoseconds: wire.rigNs) : nil,
            realtimeNanoseconds: wire.hasRealtimeNs ? wire.realtimeNs : nil,
            cameras: try cameras.map { (camera) throws(WireError) in try CameraSettingsReport(wire: camera) },
            leftOut: LeftOutDevices(
                try notConfigured.map { (device) throws(WireError) in try DeviceID(wire: device) }))
        profile = wire.hasProfile ? try ProfileReference(wire: wire.profile) : nil
        undoes = wire.undoes.isEmpty ? nil : try reader.settingsID(wire.undoes, "undoes")
        undoesRun = try reader.settingsRunID(wire.undoesRun, "undoes_run")
    }

    public var wire: WireSettingsReport {
        var wire = WireSettingsReport()
        wire.settingsID = id.wire
        wire.settings = "\(settings)"
        if let time { wire.rigNs = time.nanoseconds }
        if let realtimeNanoseconds { wire.realtimeNs = realtimeNanoseconds }
        if let profile { wire.profile = profile.wire }
        wire.undoes = undoes?.wire ?? Data()
        wire.undoesRun = undoesRun?.wire ?? Data()
        wire.cameras = cameras.prefix(WireLimits.devicesPerRequest).map(\.wire)
        wire.notConfigured = (leftOut?.devices ?? []).prefix(WireLimits.devicesPerRequest).map(\.wire)
        return wire
    }
}

extension CameraSettingsReport {
    init(wire: WireCameraSettingsReport) throws(WireError) {
        let reader = FieldReader("CameraSettingsReport")
        self.init(
            device: try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            entries: try reader.outcomes(wire.entries, "entries"), notes: try reader.notes(wire.notes),
            outcome: try CameraSettingsOutcome(
                try reader.word(wire.outcome, "outcome", as: CameraSettingsOutcome.Word.self),
                effect: wire.hasEffect ? try SettingsEffect(wire: wire.effect) : nil,
                problem: wire.hasProblem ? RigProblem(wire: wire.problem) : nil, reader))
    }

    var wire: WireCameraSettingsReport {
        var wire = WireCameraSettingsReport()
        wire.device = device.wire
        wire.entries = entries.map(\.wire)
        wire.notes = notes
        wire.outcome = outcome.word.rawValue
        if let effect = outcome.effect { wire.effect = effect.wire }
        if let problem = outcome.problem { wire.problem = problem.wire }
        return wire
    }
}

extension CameraSettingsOutcome {
    fileprivate init(
        _ word: Word, effect: SettingsEffect?, problem: RigProblem?, _ reader: FieldReader
    ) throws(WireError) {
        switch word {
        case .set: self = .set(try reader.present(effect, "effect"))
        case .rounded: self = .rounded(try reader.present(effect, "effect"))
        case .deferred: self = .deferred(try reader.present(problem, "problem"))
        case .refused: self = .refused(try reader.present(problem, "problem"))
        case .failed: self = .failed(try reader.present(problem, "problem"))
        case .lost: self = .lost(try reader.present(problem, "problem"))
        case .undone: self = .undone(try reader.present(problem, "problem"))
        }
    }
}
