public import CaptureModel

/// When the frames of a companion clip were exposed: `clip`.
public struct ClipTimingDocument: Codable, Sendable {
    var localStart: LocalTime
    var start: BoundedRigTimeDocument
    var frameOffsets: [Int64]
    var stillFrame: Int
    var durationNanoseconds: Int64
    var missingFrames: Int
    var silences: [ClipSilenceDocument]?

    private enum CodingKeys: String, CodingKey {
        case localStart = "localStart"
        case start = "start"
        case frameOffsets = "frameOffsets"
        case stillFrame = "stillFrame"
        case durationNanoseconds = "durationNanoseconds"
        case missingFrames = "missingFrames"
        case silences = "silences"
    }

    public init(_ value: ClipTiming) {
        localStart = value.localStart
        start = BoundedRigTimeDocument(value.start)
        frameOffsets = value.frameOffsets
        stillFrame = value.stillFrame
        durationNanoseconds = value.durationNanoseconds
        missingFrames = value.missingFrames
        silences = value.silences?.map(ClipSilenceDocument.init)
    }

    public var value: ClipTiming {
        ClipTiming(
            localStart: localStart, start: start.value, frameOffsets: frameOffsets, stillFrame: stillFrame,
            durationNanoseconds: durationNanoseconds, missingFrames: missingFrames, silences: silences?.map(\.value))
    }
}

/// A stretch of a clip that was to have sound and has none.
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
