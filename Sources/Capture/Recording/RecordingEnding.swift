package import CaptureModel
import Movies
import Spool

/// How a recording ends.
package struct RecordingEnding: Sendable {
    package var end: RecordedMovie.End
    package var problem: CaptureProblem?
    package var note: String?

    package init(end: RecordedMovie.End, problem: CaptureProblem? = nil, note: String? = nil) {
        self.end = end
        self.problem = problem
        self.note = note
    }
}

/// A recording whose files are written, as its session or its writer ended it.
package struct EndedRecording: Sendable {
    package var ending: RecordingEnding
    package var droppedFrames: Int
    package var silenceNanoseconds: Int64

    package init(ending: RecordingEnding, droppedFrames: Int = 0, silenceNanoseconds: Int64 = 0) {
        self.ending = ending
        self.droppedFrames = droppedFrames
        self.silenceNanoseconds = silenceNanoseconds
    }
}

extension RecordingTally {
    /// What there is with one more file.
    func adding(_ summary: RecordingSummary, _ segment: SegmentNumber) -> RecordingTally {
        var tally = self
        tally.segmentCount = segment.value
        tally.frameCount += summary.frameCount
        // Nothing is missing before the recording's first frame.
        let missing = summary.missingFrameCount &+ (frameCount > 0 ? summary.missingBeforeFirst : 0)
        tally.missingFrames = tally.missingFrames &+ Int(clamping: missing)
        tally.durationNanoseconds = MovieTime.microseconds(units: summary.start &+ summary.lastTime) &* 1000
        return tally
    }

    /// How a recording goes on that has these files: as it `ended`, or with another file.
    func sequel(_ ended: EndedRecording?) -> Spool.Sequel {
        guard let ended else { return .more(self) }
        return .end(
            RecordedMovie(
                frameCount: frameCount, missingFrames: missingFrames, droppedFrames: ended.droppedFrames,
                durationNanoseconds: durationNanoseconds, silenceNanoseconds: ended.silenceNanoseconds,
                end: ended.ending.end, problem: ended.ending.problem, note: ended.ending.note,
                segmentCount: segmentCount > 1 ? segmentCount : nil))
    }
}
