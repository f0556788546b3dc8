import CaptureModel
import RigProtocol

extension StreamGap {
    init(wire: WireStreamGap) throws(WireError) {
        let reader = FieldReader("StreamGap")
        self.init(
            localStart: LocalTime(nanoseconds: wire.localStartNs),
            start: wire.hasRigStartNs ? RigTime(nanoseconds: wire.rigStartNs) : nil,
            nanoseconds: wire.hasLengthNs
                ? try reader.number(wire.lengthNs, "length_ns", in: WireLimits.nonNegative) : nil)
    }

    var wire: WireStreamGap {
        var wire = WireStreamGap()
        wire.localStartNs = localStart.nanoseconds
        if let start { wire.rigStartNs = start.nanoseconds }
        if let nanoseconds { wire.lengthNs = nanoseconds }
        return wire
    }
}
