internal import CaptureModel
internal import FoundationEssentials
internal import ShotDocuments

/// A node's report of a capture: `capture` of a `capture.json`. The keys are written out, so that a name in Swift can change without
/// changing the format.
struct CaptureReportDocument: Codable, Sendable {
    var key: CaptureKeyDocument
    var resolved: ResolvedPhotoSettingsDocument
    var timing: FrameTimingDocument
    var files: [SpooledFileDocument]
    /// Absent if empty.
    var owed: [AssetKind]?
    /// Absent if empty.
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

/// A complete file: an entry of `capture.files`.
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

/// Totals of the finished files of a recording: `capture.recorded`.
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

/// The identity of a capture.
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

/// The content of a `capture.json`. It is written after the files that it names, so its presence means that they are complete. Files that
/// it says are owed do not exist yet.
struct CaptureManifest: Codable {
    /// The newest version that is read. Version 3 adds recordings in several files.
    static let currentSchemaVersion = 3

    var schemaVersion: Int
    var capture: CaptureReportDocument

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case capture = "capture"
    }

    init(capture: CaptureReport) {
        self.capture = CaptureReportDocument(capture)
        let kinds = capture.files.map(\.kind) + capture.owed + capture.failed.map(\.kind)
        let isOfSegments = capture.recorded != nil || kinds.contains { $0.segment.map { $0 > .first } ?? false }
        // A version 2 program would consider further files damaged, but does not touch manifests of newer versions.
        schemaVersion = isOfSegments ? 3 : 2
    }

    func encoded() throws(SpoolError) -> [UInt8] {
        try StoredJSON.spoolDocument(self, "the manifest of \(capture.key.value)")
    }

    /// The result of reading a manifest.
    enum Reading {
        case whole(CaptureReport)
        /// Written by a newer version of this program, so this version must not change it.
        case newer
        case damaged(String)
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        struct Version: Decodable {
            var schemaVersion: Int
        }
        do {
            let data = Data(bytes)
            let version = try JSONDecoder().decode(Version.self, from: data).schemaVersion
            guard version <= currentSchemaVersion else { return .newer }
            return .whole(try JSONDecoder().decode(CaptureManifest.self, from: data).capture.value)
        } catch {
            return .damaged("\(error)")
        }
    }
}
