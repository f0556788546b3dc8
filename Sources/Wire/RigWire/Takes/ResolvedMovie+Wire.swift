import CaptureModel
import RigProtocol

extension ResolvedMovie {
    init(wire: WireResolvedMovie) {
        self.init(
            hasSound: wire.hasSound_p,
            note: wire.note.isEmpty ? nil : wire.note.sentence(limit: WireLimits.reasonByteCount))
    }

    var wire: WireResolvedMovie {
        var wire = WireResolvedMovie()
        wire.hasSound_p = hasSound
        wire.note = note?.sentence(limit: WireLimits.reasonByteCount) ?? ""
        return wire
    }
}
