import CaptureModel
import RigProtocol

extension RecordedMovie {
    init(wire: WireRecordedMovie) throws(WireError) {
        let reader = FieldReader("RecordedMovie")
        func number(_ value: some FixedWidthInteger, _ field: String) throws(WireError) -> Int64 {
            try reader.number(value, field, in: WireLimits.nonNegative)
        }
        func frames(_ value: UInt64, _ field: String) throws(WireError) -> Int {
            Int(try reader.number(value, field, in: WireLimits.movieFrames))
        }
        self.init(
            frameCount: try frames(wire.frames, "frames"),
            missingFrames: try frames(wire.missingFrames, "missing_frames"),
            droppedFrames: try frames(wire.droppedFrames, "dropped_frames"),
            durationNanoseconds: try number(wire.durationNs, "duration_ns"),
            silenceNanoseconds: try number(wire.silenceNs, "silence_ns"),
            end: try reader.word(wire.end, "end", as: End.self),
            problem: wire.hasProblem ? RigProblem(wire: wire.problem) : nil,
            note: wire.note.isEmpty ? nil : wire.note.sentence(limit: WireLimits.reasonByteCount),
            segmentCount: wire.hasSegments ? try reader.segment(wire.segments, "segments") : nil)
    }

    var wire: WireRecordedMovie {
        var wire = WireRecordedMovie()
        wire.frames = UInt64(clamping: frameCount)
        wire.missingFrames = UInt64(clamping: missingFrames)
        wire.droppedFrames = UInt64(clamping: droppedFrames)
        wire.durationNs = max(durationNanoseconds, 0)
        wire.silenceNs = max(silenceNanoseconds, 0)
        wire.end = end.rawValue
        if let problem { wire.problem = problem.wire }
        wire.note = note?.sentence(limit: WireLimits.reasonByteCount) ?? ""
        if let segmentCount { wire.segments = UInt32(clamping: segmentCount) }
        return wire
    }
}

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
        Int(try number(value, field, in: 1...Int64(SegmentNumber.limit)))
    }
}
