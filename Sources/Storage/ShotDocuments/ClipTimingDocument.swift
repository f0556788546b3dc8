public import CaptureModel
internal import FoundationEssentials

/// When the frames of a companion clip were exposed: `clip`.
public struct ClipTimingDocument: Codable, Sendable {
    var localStart: LocalTime
    var start: BoundedRigTimeDocument
    var frameOffsets: [Int64]
    var stillFrame: Int
    var durationNanoseconds: Int64
    var missingFrames: Int
    var silences: [ClipSilenceDocument]?
    /// Absent if empty.
    var settings: [ClipSettingsDocument]?

    private enum CodingKeys: String, CodingKey {
        case localStart = "localStart"
        case start = "start"
        case frameOffsets = "frameOffsets"
        case stillFrame = "stillFrame"
        case durationNanoseconds = "durationNanoseconds"
        case missingFrames = "missingFrames"
        case silences = "silences"
        case settings = "settings"
    }

    public init(_ value: ClipTiming) {
        localStart = value.localStart
        start = BoundedRigTimeDocument(value.start)
        frameOffsets = value.frameOffsets
        stillFrame = value.stillFrame
        durationNanoseconds = value.durationNanoseconds
        missingFrames = value.missingFrames
        silences = value.silences?.map(ClipSilenceDocument.init)
        settings = value.settings.isEmpty ? nil : value.settings.map(ClipSettingsDocument.init)
    }

    public var value: ClipTiming {
        ClipTiming(
            localStart: localStart, start: start.value, frameOffsets: frameOffsets, stillFrame: stillFrame,
            durationNanoseconds: durationNanoseconds, missingFrames: missingFrames, silences: silences?.map(\.value),
            settings: settings?.map(\.value) ?? [])
    }
}

/// A part of a clip that should have sound and has none.
struct ClipSilenceDocument: Codable, Sendable {
    var startNanoseconds: Int64
    var durationNanoseconds: Int64
    var cause: ClipSilence.Cause

    private enum CodingKeys: String, CodingKey {
        case startNanoseconds = "startNanoseconds"
        case durationNanoseconds = "durationNanoseconds"
        case cause = "cause"
    }

    init(_ value: ClipSilence) {
        startNanoseconds = value.startNanoseconds
        durationNanoseconds = value.durationNanoseconds
        cause = value.cause
    }

    var value: ClipSilence {
        ClipSilence(startNanoseconds: startNanoseconds, durationNanoseconds: durationNanoseconds, cause: cause)
    }
}

/// When the frame of a capture was exposed: `timing`.
public struct FrameTimingDocument: Codable, Sendable {
    var sequence: UInt64
    var localMidExposure: LocalTime
    var midExposure: BoundedRigTimeDocument
    var skewNanoseconds: Int64
    var exposureNanoseconds: Int64?
    var dequeued: RigTime
    var settings: FrameSettingsDocument?

    private enum CodingKeys: String, CodingKey {
        case sequence = "sequence"
        case localMidExposure = "localMidExposure"
        case midExposure = "midExposure"
        case skewNanoseconds = "skewNanoseconds"
        case exposureNanoseconds = "exposureNanoseconds"
        case dequeued = "dequeued"
        case settings = "settings"
    }

    public init(_ value: FrameTiming) {
        sequence = value.sequence
        localMidExposure = value.localMidExposure
        midExposure = BoundedRigTimeDocument(value.midExposure)
        skewNanoseconds = value.skewNanoseconds
        exposureNanoseconds = value.exposureNanoseconds
        dequeued = value.dequeued
        settings = value.settings.map(FrameSettingsDocument.init)
    }

    public var value: FrameTiming {
        FrameTiming(
            sequence: sequence, localMidExposure: localMidExposure, midExposure: midExposure.value,
            skewNanoseconds: skewNanoseconds, exposureNanoseconds: exposureNanoseconds, dequeued: dequeued,
            settings: settings?.value)
    }
}

/// A rig time with its largest error.
struct BoundedRigTimeDocument: Codable, Sendable {
    var time: RigTime
    var boundNanoseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case time = "time"
        case boundNanoseconds = "boundNanoseconds"
    }

    init(_ value: BoundedRigTime) {
        time = value.time
        boundNanoseconds = value.boundNanoseconds
    }

    var value: BoundedRigTime {
        BoundedRigTime(time: time, bound: .nanoseconds(boundNanoseconds))
    }
}

/// The time during which a camera's stream was stopped for a still: `streamGap`.
public struct StreamGapDocument: Codable, Sendable {
    var localStart: LocalTime
    var start: RigTime?
    var nanoseconds: Int64?

    private enum CodingKeys: String, CodingKey {
        case localStart = "localStart"
        case start = "start"
        case nanoseconds = "nanoseconds"
    }

    public init(_ value: StreamGap) {
        localStart = value.localStart
        start = value.start
        nanoseconds = value.nanoseconds
    }

    public var value: StreamGap {
        StreamGap(localStart: localStart, start: start, nanoseconds: nanoseconds)
    }
}

/// Why something differs from the request.
public struct ProblemDocument: Codable, Sendable {
    var code: RigProblem.Code
    var message: String

    private enum CodingKeys: String, CodingKey {
        case code = "code"
        case message = "message"
    }

    public init(_ value: RigProblem) {
        code = value.code
        message = value.message
    }

    public var value: RigProblem {
        RigProblem(code, message)
    }
}

/// The outcome of a camera's recording: `movie`.
public struct RecordedMovieDocument: Codable, Sendable {
    var frameCount: Int
    var missingFrames: Int
    var droppedFrames: Int
    var durationNanoseconds: Int64
    var silenceNanoseconds: Int64
    var end: RecordedMovie.End
    var problem: ProblemDocument?
    var note: String?
    var segmentCount: Int?

    private enum CodingKeys: String, CodingKey {
        case frameCount = "frameCount"
        case missingFrames = "missingFrames"
        case droppedFrames = "droppedFrames"
        case durationNanoseconds = "durationNanoseconds"
        case silenceNanoseconds = "silenceNanoseconds"
        case end = "end"
        case problem = "problem"
        case note = "note"
        case segmentCount = "segmentCount"
    }

    public init(_ value: RecordedMovie) {
        frameCount = value.frameCount
        missingFrames = value.missingFrames
        droppedFrames = value.droppedFrames
        durationNanoseconds = value.durationNanoseconds
        silenceNanoseconds = value.silenceNanoseconds
        end = value.end
        problem = value.problem.map(ProblemDocument.init)
        note = value.note
        segmentCount = value.segmentCount
    }

    public var value: RecordedMovie {
        RecordedMovie(
            frameCount: frameCount, missingFrames: missingFrames, droppedFrames: droppedFrames,
            durationNanoseconds: durationNanoseconds, silenceNanoseconds: silenceNanoseconds, end: end,
            problem: problem?.value, note: note, segmentCount: segmentCount)
    }
}

/// The form of JSON files. People and their tools read them too, so members are sorted, each on its own line, and a line feed ends the
/// file.
public enum StoredJSON {
    /// - Parameter what: The file's name in error messages, as the beginning of a sentence.
    /// - Throws: `unencodable`.
    public static func encoded(_ value: some Encodable, _ what: String) throws(DocumentError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw DocumentError(.unencodable, "write", what, "\(what) cannot be written: \(error)")
        }
    }
}
