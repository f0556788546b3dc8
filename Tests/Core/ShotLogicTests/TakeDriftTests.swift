import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct FrameTrainTests {
    private func train(_ milliseconds: Int64, bound: Int64 = 100_000) -> FrameTrain {
        FrameTrain(.init(nanoseconds: milliseconds * 1_000_000, boundNanoseconds: bound))
    }

    private func follow(_ train: FrameTrain, _ milliseconds: Int64, missing: Int64 = 0) -> FrameTrain? {
        train.followed(by: self.train(milliseconds), missing: missing, interval: .milliseconds(40))
    }

    @Test("Counts frames that came and frames that the camera numbered") func counted() throws {
        let two = try #require(follow(train(1000), 1041))
        let three = try #require(follow(two, 1122, missing: 1))
        #expect(three.pace == FramePace(intervalCount: 3, spanNanoseconds: 122_000_000, boundNanoseconds: 200_000))
        // Another file of the recording, with two frames.
        let file = try #require(follow(train(1162), 1203))
        let both = try #require(three.followed(by: file, missing: 0, interval: .milliseconds(40)))
        #expect(both.pace == FramePace(intervalCount: 5, spanNanoseconds: 203_000_000, boundNanoseconds: 200_000))
    }

    @Test("Has no pace with one frame") func alone() {
        #expect(train(1000).pace == nil)
    }

    @Test("Ends at frames that were lost without a number, that come twice, or that come backward") func broken() {
        #expect(follow(train(1000), 1080) == nil)
        #expect(follow(train(1000), 1019) == nil && follow(train(1000), 960) == nil)
        #expect(follow(train(1000), 1040, missing: 1) == nil && follow(train(1000), 1040, missing: -1) == nil)
        #expect(follow(train(1000), 1040, missing: .max) == nil)
        #expect(train(1000).followed(by: train(1040), missing: 0, interval: .zero) == nil)
    }

    @Test("Survives every number") func extremes() {
        for time in [Int64.min, -1, 0, .max] {
            let first = FrameTrain(.init(nanoseconds: time, boundNanoseconds: .max))
            for next in [Int64.min, 0, .max] {
                let second = FrameTrain(.init(nanoseconds: next, boundNanoseconds: .max))
                for interval in [Duration.nanoseconds(1), .nanoseconds(Int64.max)] {
                    let pace = first.followed(by: second, missing: 0, interval: interval)?.pace
                    #expect(pace.map { $0.spanNanoseconds > 0 && $0.boundNanoseconds == .max } ?? true)
                }
            }
        }
    }
}

@Suite struct TakeDriftTests {
    /// A take of cameras at 25 frames a second for 100 s, whose last frames are so many microseconds late.
    private func captures(_ late: [Int64?], bound: Int64 = 100_000) throws -> [Capture] {
        try late.enumerated().map { index, late in
            var capture = Capture(device: DeviceDescription(id: try DeviceID("n\(index)/cam"), driver: "virtual"))
            capture.resolved = Sample.resolved
            capture.resolved?.streamFormat.frameIntervalNanoseconds = 40_000_000
            capture.timing = try Sample.report(Sample.shot(["a/cam0"]), "a/cam0").timing
            capture.movie = RecordedMovie(frameCount: 2501, durationNanoseconds: 100_000_000_000, end: .stopped)
            capture.movie?.pace = late.map {
                FramePace(
                    intervalCount: 2500, spanNanoseconds: 100_000_000_000 + $0 * 1000, boundNanoseconds: bound)
            }
            return capture
        }
    }

    @Test("A camera drifts by how much too long its frame interval is") func camera() throws {
        let drifts = try captures([0, 5000, -2500]).map(\.drift)
        #expect(drifts.map { $0?.partsPerMillion.rounded() } == [0, 50, -25])
        #expect(drifts.allSatisfy { ($0?.boundPartsPerMillion).map { abs($0 - 1) < 0.001 } == true })
    }

    @Test("Says nothing of a camera that came at another rate, or whose instants cannot be true")
    func unknown() throws {
        var (slow, wrong, none) = try (captures([0])[0], captures([0])[0], captures([nil])[0])
        slow.movie?.pace?.spanNanoseconds *= 2
        wrong.doubts = [DoubtedClaim(.midExposure, .wrong, "it is 1000 s from T")]
        none.movie?.pace = nil
        #expect(slow.drift == nil && wrong.drift == nil && none.drift == nil)
        #expect(TakeDrift(of: [slow, wrong, none]) == nil && TakeDrift(of: []) == nil)
    }

    @Test("Names the pair that drifted apart most, and by how much with its error") func pair() throws {
        let drift = try #require(TakeDrift(of: try captures([0, 5000, -2500, nil])))
        #expect(drift.behind.description == "n1/cam" && drift.ahead.description == "n2/cam")
        #expect((drift.apart - .microseconds(7500)).magnitude < .microseconds(2))
        #expect((drift.bound - .microseconds(200)).magnitude < .microseconds(1))
    }

    @Test("Compares only cameras that state the same rate, over the shorter recording") func comparable() throws {
        var captures = try captures([0, 5000])
        captures[1].resolved?.streamFormat.frameIntervalNanoseconds = 40_000_001
        #expect(TakeDrift(of: captures) == nil)
        captures = try self.captures([0, 5000])
        captures[0].movie?.pace = FramePace(
            intervalCount: 250, spanNanoseconds: 10_000_000_000, boundNanoseconds: 100_000)
        let drift = try #require(TakeDrift(of: captures))
        #expect((drift.apart - .microseconds(500)).magnitude < .microseconds(1), "50 ppm of 10 s")
        #expect((drift.bound - .microseconds(110)).magnitude < .microseconds(1))
    }
}
