import CaptureModel
import RigProtocol

extension RecordingProgress {
    init(wire: WireRecordingProgress) throws(WireError) {
        let reader = FieldReader("RecordingProgress")
        self.init(
            take: try reader.shotID(wire.takeID),
            frameCount: Int(try reader.number(wire.frames, "frames", in: WireLimits.nonNegative)),
            byteCount: try reader.number(wire.byteCount, "byte_count", in: WireLimits.nonNegative),
            durationNanoseconds: try reader.number(wire.durationNs, "duration_ns", in: WireLimits.nonNegative),
            segmentNumber: wire.hasSegment ? try reader.segment(wire.segment, "segment") : 1)
    }

    var wire: WireRecordingProgress {
        var wire = WireRecordingProgress()
        wire.takeID = take.wire
        wire.frames = UInt64(clamping: frameCount)
        wire.byteCount = max(byteCount, 0)
        wire.durationNs = max(durationNanoseconds, 0)
        wire.segment = UInt32(clamping: segmentNumber)
        return wire
    }
}

extension FieldReader {
    /// Returns the number of a recording's file, or the number of its files.
    fileprivate func segment(_ value: UInt32, _ field: String) throws(WireError) -> Int {
        Int(try number(value, field, in: WireLimits.segments))
    }
}
