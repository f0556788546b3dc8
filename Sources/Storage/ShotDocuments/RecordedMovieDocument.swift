public import CaptureModel

/// What has become of a camera's recording: `movie`.
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
