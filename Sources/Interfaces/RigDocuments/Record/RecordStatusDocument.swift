internal import CaptureModel

/// Takes under way: `capctl record status`.
public struct RecordStatusDocument: Encodable, Sendable {
    var takes: [Take]

    /// A take; the counts are of its cameras, by phase.
    struct Take: Encodable {
        var cameras: [Camera]
        var captured: Int
        var done: Int
        var elapsedNanoseconds: Integer64
        var expected: Int
        var failed: Int
        var id: ShotID
        var isStopped: Bool
        /// The number of marks.
        var marks: Int
        var missed: Int
        var partial: Int
    }

    /// A camera that records.
    struct Camera: Encodable {
        var byteCount: Integer64
        var device: DeviceID
        var durationNanoseconds: Integer64
        var frames: Int
        /// The number of its current file.
        var segmentNumber: Int
    }

    public init(_ takes: [TakeProgress]) {
        self.takes = takes.map(Take.init)
    }
}

extension RecordStatusDocument.Take {
    fileprivate init(_ progress: TakeProgress) {
        let (take, captures) = (progress.take, progress.take.captures)
        cameras = progress.recordings.map(RecordStatusDocument.Camera.init)
        captured = captures.captured
        done = captures.done
        elapsedNanoseconds = Integer64(progress.elapsed.nanoseconds)
        expected = captures.expected
        failed = captures.failed
        id = take.id
        isStopped = take.stopTime != nil
        marks = take.marks
        missed = captures.missed
        partial = captures.partial
    }
}

extension RecordStatusDocument.Camera {
    fileprivate init(_ recording: TakeProgress.Recording) {
        byteCount = Integer64(recording.progress.byteCount)
        device = recording.device
        durationNanoseconds = Integer64(recording.progress.durationNanoseconds)
        frames = recording.progress.frameCount
        segmentNumber = recording.progress.segmentNumber
    }
}
