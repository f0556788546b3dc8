internal import CaptureModel
internal import ShotDocuments

/// What a node says of a capture, as `capture` of a `capture.json` has it. The keys are written out, so that a name in Swift
/// can change without the format.
struct CaptureReportDocument: Codable, Sendable {
    var key: CaptureKeyDocument
    var resolved: ResolvedPhotoSettingsDocument
    var timing: FrameTimingDocument
    var files: [SpooledFileDocument]
    /// Absent where it is empty.
    var owed: [AssetKind]?
    /// Absent where it is empty.
    var failed: [FailedFileDocument]?
    var clip: ClipTimingDocument?
    var streamGap: StreamGapDocument?
    var movie: RecordedMovieDocument?
    var recorded: RecordingTallyDocument?

    private enum CodingKeys: String, CodingKey {
        case key = "key"
        case resolved = "resolved"
        case timing = "timing"
        case files = "files"
        case owed = "owed"
        case failed = "failed"
        case clip = "clip"
        case streamGap = "streamGap"
        case movie = "movie"
        case recorded = "recorded"
    }

    init(_ value: CaptureReport) {
        key = CaptureKeyDocument(value.key)
        resolved = ResolvedPhotoSettingsDocument(value.resolved)
        timing = FrameTimingDocument(value.timing)
        files = value.files.map(SpooledFileDocument.init)
        owed = value.owed.isEmpty ? nil : value.owed
        failed = value.failed.isEmpty ? nil : value.failed.map(FailedFileDocument.init)
        clip = value.clip.map(ClipTimingDocument.init)
        streamGap = value.streamGap.map(StreamGapDocument.init)
        movie = value.movie.map(RecordedMovieDocument.init)
        recorded = value.recorded.map(RecordingTallyDocument.init)
    }

    var value: CaptureReport {
        CaptureReport(
            key: key.value, resolved: resolved.value, timing: timing.value, files: files.map(\.value), owed: owed ?? [],
            failed: failed?.map(\.value) ?? [], clip: clip?.value, streamGap: streamGap?.value, movie: movie?.value,
            recorded: recorded?.value)
    }
}

/// A file that is whole: an entry of `capture.files`.
struct SpooledFileDocument: Codable, Sendable {
    var kind: AssetKind
    var byteCount: Int64
    var digest: ContentDigest
    var shortfall: ProblemDocument?

    private enum CodingKeys: String, CodingKey {
        case kind = "kind"
        case byteCount = "byteCount"
        case digest = "digest"
        case shortfall = "shortfall"
    }

    init(_ value: SpooledFile) {
        kind = value.kind
        byteCount = value.byteCount
        digest = value.digest
        shortfall = value.shortfall.map(ProblemDocument.init)
    }

    var value: SpooledFile {
        SpooledFile(kind: kind, byteCount: byteCount, digest: digest, shortfall: shortfall?.value)
    }
}

/// A file that was owed and will not be made: an entry of `capture.failed`.
struct FailedFileDocument: Codable, Sendable {
    var kind: AssetKind
    var problem: ProblemDocument

    private enum CodingKeys: String, CodingKey {
        case kind = "kind"
        case problem = "problem"
    }

    init(_ value: FailedFile) {
        kind = value.kind
        problem = ProblemDocument(value.problem)
    }

    var value: FailedFile {
        FailedFile(kind: kind, problem: problem.value)
    }
}

/// What the finished files of a recording hold: `capture.recorded`.
struct RecordingTallyDocument: Codable, Sendable {
    var segmentCount: Int
    var frameCount: Int
    var missingFrames: Int
    var durationNanoseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case segmentCount = "segmentCount"
        case frameCount = "frameCount"
        case missingFrames = "missingFrames"
        case durationNanoseconds = "durationNanoseconds"
    }

    init(_ value: RecordingTally) {
        segmentCount = value.segmentCount
        frameCount = value.frameCount
        missingFrames = value.missingFrames
        durationNanoseconds = value.durationNanoseconds
    }

    var value: RecordingTally {
        var value = RecordingTally()
        value.segmentCount = segmentCount
        value.frameCount = frameCount
        value.missingFrames = missingFrames
        value.durationNanoseconds = durationNanoseconds
        return value
    }
}

/// Which capture it is.
struct CaptureKeyDocument: Codable, Sendable {
    var shot: ShotID
    var device: DeviceID

    private enum CodingKeys: String, CodingKey {
        case shot = "shot"
        case device = "device"
    }

    init(_ value: CaptureKey) {
        shot = value.shot
        device = value.device
    }

    var value: CaptureKey {
        CaptureKey(shot: shot, device: device)
    }
}
