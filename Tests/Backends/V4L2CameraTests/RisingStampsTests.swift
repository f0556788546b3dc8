import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

struct RisingStampsTests {
    private let frame = Duration.milliseconds(40)
    private let start = LocalTime(nanoseconds: 100_000_000_000)

    private func stream() -> RisingStamps {
        RisingStamps(StampRule(calibration: StampCalibration(uncertainty: .milliseconds(1)), frameInterval: frame))
    }

    /// A frame stamped at the start of its exposure, `age` before it was dequeued.
    private func take(
        _ stamps: inout RisingStamps, _ dequeued: LocalTime, age: Duration
    ) -> StampRule.Result {
        let buffer = FilledBuffer(
            index: 0, planes: [], sequence: 0, stampNanoseconds: (dequeued - age).nanoseconds, stampClock: .monotonic,
            stampSource: .startOfExposure)
        return stamps.take(buffer, exposure: .milliseconds(10), dequeued: dequeued)
    }

    @Test func goodStampsWouldBeReplaced() {
        var stamps = stream()
        for number in 0..<5 {
            let dequeued = start + frame * number
            let result = take(&stamps, dequeued, age: .milliseconds(50))
            #expect(result.midExposure == dequeued - .milliseconds(45))
            #expect(result.bound == .milliseconds(6))
        }
    }

    @Test func aDriversStepBackWouldStopTheRing() {
        var stamps = stream()
        let before = take(&stamps, start, age: .milliseconds(50))
        for number in 1..<100 {
            let dequeued = start + frame * number
            let result = take(&stamps, dequeued, age: .seconds(5))
            #expect(result.midExposure == dequeued)
            #expect(result.bound == .milliseconds(45))
            #expect(result.midExposure > before.midExposure)
        }
    }

    @Test func oneBadStampWouldSpoilTheFramesAfterIt() {
        var stamps = stream()
        _ = take(&stamps, start, age: .milliseconds(50))
        _ = take(&stamps, start + frame, age: .milliseconds(200))
        let result = take(&stamps, start + frame * 3, age: .milliseconds(50))
        #expect(result.midExposure == start + frame * 3 - .milliseconds(45))
        #expect(result.bound == .milliseconds(6))
    }

    @Test func aStampOfTheFutureWouldTakeThePlaceOfTheNextFrame() {
        var stamps = stream()
        let early = take(&stamps, start, age: .milliseconds(-39))
        let result = take(&stamps, start + .milliseconds(20), age: .milliseconds(15))
        #expect(result.midExposure == early.midExposure + .nanoseconds(1))
        // Its true instant may be as far away as the frame's receipt tells.
        #expect(result.bound == .milliseconds(45) + (result.midExposure - (start + .milliseconds(20))))
    }
}
