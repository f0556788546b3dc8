import CaptureModel
import CaptureTestSupport
import Movies
import PosixSupport
import Testing

@Suite struct RecordingSummaryTests {
    /// Reads a sidecar of frames at 25 a second.
    private func summary(_ frames: [(milliseconds: Int64, dropped: Int64)]) throws -> RecordingSummary {
        let temporary = try TemporaryFolder()
        let header = #"{"schemaVersion":1,"timeScale":90000,"segment":1,"segmentStart":7}"#
        let lines = frames.map { frame in
            #"{"presentationTime":\#(frame.milliseconds * 90),"rigTimeNanoseconds":\#(frame.milliseconds * 1_000_000),"#
                + #""boundNanoseconds":250000,"number":1,"droppedBefore":\#(frame.dropped),"byteCount":1}"#
        }
        _ = try temporary.write(Array(([header] + lines).map { $0 + "\n" }.joined().utf8), as: "frames.jsonl")
        let file = try Folder(opening: temporary.path).open("frames.jsonl", for: .reading)
        return try RecordingSummary(ofSidecar: file, interval: .milliseconds(40))
    }

    @Test("Has the pace of frames that came when their numbers say") func steady() throws {
        let summary = try summary([(1000, 3), (1041, 0), (1081, 0), (1203, 2)])
        #expect(summary.frameCount == 4 && summary.missingFrameCount == 2 && summary.missingBeforeFirst == 3)
        #expect(summary.start == 7 && summary.lastTime == 1203 * 90)
        let pace = FramePace(intervalCount: 5, spanNanoseconds: 203_000_000, boundNanoseconds: 500_000)
        #expect(summary.train?.pace == pace)
    }

    @Test("Has no pace once a frame was lost without a number") func unsteady() throws {
        let summary = try summary([(1000, 0), (1040, 0), (1120, 0), (1160, 0)])
        #expect(summary.frameCount == 4 && summary.train == nil)
        #expect(try self.summary([]).train == nil)
    }
}
