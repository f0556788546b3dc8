internal import CaptureModel
internal import FoundationEssentials
internal import RigProtocol

extension FrameSettings {
    init(wire: WireFrameSettings) throws(WireError) {
        let reader = FieldReader("FrameSettings")
        switch wire.state {
        case .inForce(let revision): self = .inForce(try reader.settingsID(revision, "in_force"))
        case .changing(let change):
            self = .changing(
                from: try Self.revision(change.from, "from", reader), to: try Self.revision(change.to, "to", reader))
        case nil: throw reader.invalid("state", "is missing")
        }
    }

    private static func revision(
        _ bytes: Data, _ field: String, _ reader: FieldReader
    ) throws(WireError) -> SettingsID? {
        bytes.isEmpty ? nil : try reader.settingsID(bytes, field)
    }

    var wire: WireFrameSettings {
        var wire = WireFrameSettings()
        switch self {
        case .inForce(let revision): wire.inForce = revision.wire
        case .changing(let from, let to):
            wire.changing.from = from?.wire ?? Data()
            wire.changing.to = to?.wire ?? Data()
        }
        return wire
    }
}

extension ClipSettings {
    init(wire: WireClipSettings) throws(WireError) {
        let reader = FieldReader("ClipSettings")
        self.init(
            startNanoseconds: try reader.number(wire.startNs, "start_ns", in: WireLimits.nonNegative),
            settings: wire.hasSettings ? try FrameSettings(wire: wire.settings) : nil)
    }

    var wire: WireClipSettings {
        var wire = WireClipSettings()
        wire.startNs = startNanoseconds
        if let settings { wire.settings = settings.wire }
        return wire
    }
}
