public import CaptureModel
internal import FoundationEssentials
public import RigProtocol
import SwiftProtobuf

extension PastSettings {
    /// The most transactions of a history.
    public static let limit = 64

    public init(wire: WirePastSettings) throws(WireError) {
        let reader = FieldReader("PastSettings")
        let cameras = try reader.list(wire.cameras, "cameras", limit: WireLimits.devicesPerRequest)
        self.init(
            id: try reader.settingsID(wire.settingsID), realtimeNanoseconds: wire.realtimeNs,
            principal: wire.principal.sentence(limit: WireLimits.reasonByteCount),
            profile: wire.hasProfile ? try ProfileReference(wire: wire.profile) : nil,
            undoes: wire.undoes.isEmpty ? nil : try reader.settingsID(wire.undoes, "undoes"),
            undoesRun: try reader.settingsRunID(wire.undoesRun, "undoes_run"),
            run: try reader.settingsRunID(wire.runID, "run_id"),
            cameras: try cameras.map { (camera) throws(WireError) in try Camera(wire: camera) })
    }

    public var wire: WirePastSettings {
        .with {
            $0.settingsID = id.wire
            $0.realtimeNs = realtimeNanoseconds
            $0.principal = principal
            if let profile { $0.profile = profile.wire }
            $0.undoes = undoes?.wire ?? Data()
            $0.undoesRun = undoesRun?.wire ?? Data()
            $0.runID = run?.wire ?? Data()
            $0.cameras = cameras.map(\.wire)
        }
    }

    /// Returns the transactions of a history.
    public static func list(wire: WireSettingsHistory) throws(WireError) -> [PastSettings] {
        try FieldReader("SettingsHistory").list(wire.transactions, "transactions", limit: limit)
            .map { (past) throws(WireError) in try PastSettings(wire: past) }
    }
}

extension PastSettings.Camera {
    fileprivate init(wire: WirePastCameraSettings) throws(WireError) {
        let reader = FieldReader("PastCameraSettings")
        self.init(
            device: try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            settings: try reader.anySettings(wire.settings, "settings"),
            earlier: wire.hasEarlier ? try reader.anySettings(wire.earlier, "earlier") : nil,
            outcome: wire.outcome.isEmpty
                ? nil : try reader.word(wire.outcome, "outcome", as: CameraSettingsOutcome.Word.self))
    }

    fileprivate var wire: WirePastCameraSettings {
        .with {
            $0.device = device.wire
            $0.settings = "\(settings)"
            if let earlier { $0.earlier = "\(earlier)" }
            $0.outcome = outcome?.rawValue ?? ""
        }
    }
}
