import CaptureModel
import RigProtocol

extension ClipSilence {
    init(wire: WireClipSilence) throws(WireError) {
        let reader = FieldReader("ClipSilence")
        self.init(
            startNanoseconds: try reader.number(wire.startNs, "start_ns", in: WireLimits.nonNegative),
            durationNanoseconds: try reader.number(wire.durationNs, "duration_ns", in: WireLimits.nonNegative),
            cause: try reader.word(wire.cause, "cause", as: Cause.self))
    }

    var wire: WireClipSilence {
        var wire = WireClipSilence()
        wire.startNs = startNanoseconds
        wire.durationNs = durationNanoseconds
        wire.cause = cause.rawValue
        return wire
    }
}
