public import CaptureModel
public import StrictJSON

extension CaptureReport: WireDocument {
    public static var unknownMembers: UnknownMembers { .ignored }
    public static var longest: Int { WireLimits.reportByteCount }

    /// The report as messages have it. Of a recording with many files, it has only the first ones in the spool: ``firstSegments``.
    public var inMessage: CaptureReport {
        var report = firstSegments
        report.resolved = resolved.inMessage
        for index in report.files.indices { report.files[index].shortfall = report.files[index].shortfall?.inMessage }
        for index in report.failed.indices { report.failed[index].problem = report.failed[index].problem.inMessage }
        report.movie = movie?.inMessage
        // A driver's frame counter may be nonsense; the report arrives all the same.
        report.clip?.missingFrames = min(max(clip?.missingFrames ?? 0, 0), Int(UInt32.max))
        report.recorded = nil
        return report
    }
}

extension ResolvedPhotoSettings: WireDocument {
    public static var unknownMembers: UnknownMembers { .ignored }
    public static var longest: Int { WireLimits.reportByteCount }

    public var inMessage: ResolvedPhotoSettings {
        var resolved = self
        resolved.livePhotoNote = livePhotoNote?.note
        resolved.rawProblem = rawProblem?.inMessage
        resolved.movie?.note = movie?.note?.note
        return resolved
    }
}

extension RecordedMovie {
    fileprivate var inMessage: RecordedMovie {
        var movie = self
        movie.durationNanoseconds = max(durationNanoseconds, 0)
        movie.silenceNanoseconds = max(silenceNanoseconds, 0)
        movie.frameCount = WireLimits.clamped(frameCount)
        movie.missingFrames = WireLimits.clamped(missingFrames)
        movie.droppedFrames = WireLimits.clamped(droppedFrames)
        movie.problem = problem?.inMessage
        movie.note = note?.note
        return movie
    }
}

extension WireLimits {
    /// A number of frames as a message may have it.
    fileprivate static func clamped(_ frames: Int) -> Int {
        Int(min(max(Int64(frames), movieFrames.lowerBound), movieFrames.upperBound))
    }
}

extension RigProblem {
    /// The problem of a report, which is short, since an inventory has many reports.
    fileprivate var inMessage: RigProblem {
        RigProblem(code, message.sentence(limit: WireLimits.reasonByteCount))
    }
}

extension String {
    /// The text as a note; nil if it is empty.
    fileprivate var note: String? { isEmpty ? nil : sentence(limit: WireLimits.reasonByteCount) }
}

extension CaptureReport {
    /// The part of a recording's report that fits into a message: its first files in the spool, with the next one owed.
    /// The coordinator asks again while a file is owed, and learns of further files as it releases earlier ones. A
    /// report therefore stays small, however long the recording and the coordinator's absence are.
    var firstSegments: CaptureReport {
        guard let next = firstSegmentBeyondLimits else { return self }
        var report = self
        report.files.removeAll { $0.kind.segment.map { $0 >= next } ?? false }
        report.failed.removeAll { $0.kind.segment.map { $0 >= next } ?? false }
        report.owed = AssetKind.ofRecording(next)
        return report
    }

    private var firstSegmentBeyondLimits: SegmentNumber? {
        var (fileCount, failureCount) = (0, 0)
        let segments = Set((files.map(\.kind) + failed.map(\.kind)).compactMap(\.segment))
        return segments.sorted().first { segment in
            fileCount += files.count { $0.kind.segment == segment }
            failureCount += failed.count { $0.kind.segment == segment }
            return fileCount > WireLimits.filesPerCapture || failureCount > WireLimits.companionsPerCapture
        }
    }
}
