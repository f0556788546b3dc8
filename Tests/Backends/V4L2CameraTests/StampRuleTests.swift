import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

struct StampRuleTests {
    private let frameInterval = Duration.milliseconds(40)
    private let dequeued = LocalTime(nanoseconds: 100_000_000_000)
    private let stamp = LocalTime(nanoseconds: 99_950_000_000)

    private func buffer(
        _ source: FilledBuffer.StampSource, clock: FilledBuffer.StampClock = .monotonic, at stamp: LocalTime? = nil
    ) -> FilledBuffer {
        FilledBuffer(
            index: 0, planes: [FilledPlane(end: 1)], sequence: 0, stampNanoseconds: (stamp ?? self.stamp).nanoseconds,
            stampClock: clock,
            stampSource: source)
    }

    private func apply(
        _ buffer: FilledBuffer, exposure: Duration?, _ calibration: StampCalibration = .init()
    ) -> StampRule.Result {
        StampRule(calibration: calibration, frameInterval: frameInterval)
            .apply(to: buffer, exposure: exposure, dequeued: dequeued)
    }

    @Test func aStampAtTheStartOfExposureWouldBeReportedAsItsMiddle() {
        let calibration = StampCalibration(latencyOffset: .milliseconds(-3), uncertainty: .milliseconds(1))
        let result = apply(buffer(.startOfExposure), exposure: .milliseconds(10), calibration)
        #expect(result.midExposure == stamp + .milliseconds(2))
        #expect(result.bound == .milliseconds(6))
    }

    @Test func aStampAtTheEndOfTheFrameWouldBeReportedAsMidExposure() {
        let calibration = StampCalibration(readout: .milliseconds(15), uncertainty: .zero)
        let result = apply(buffer(.endOfFrame), exposure: .milliseconds(10), calibration)
        #expect(result.midExposure == stamp - .milliseconds(20))
        #expect(result.bound == .milliseconds(5))
    }

    @Test func anUnmeasuredCameraWouldClaimMoreThanIsKnown() {
        #expect(apply(buffer(.startOfExposure), exposure: .milliseconds(10)).bound == .milliseconds(45))
    }

    @Test func anUnknownExposureWouldCountAsNone() {
        let result = apply(buffer(.startOfExposure), exposure: nil, StampCalibration(uncertainty: .zero))
        #expect(result.midExposure == stamp)
        #expect(result.bound == .milliseconds(20))
    }

    @Test func aStampOfAnUnknownClockWouldBeTakenForOurs() {
        let measured = StampCalibration(uncertainty: .zero)
        for unknown in [buffer(.startOfExposure, clock: .unknown), buffer(.unknown)] {
            let result = apply(unknown, exposure: .milliseconds(10), measured)
            #expect(result.midExposure == dequeued)
            #expect(result.bound == .milliseconds(45))
        }
    }

    @Test(arguments: [Int64(0), -5, 99_000_000_000 - 10_000_000_000, 100_041_000_000, .max, .min])
    func aStampFromAnotherTimeLineWouldBeBelieved(_ nanoseconds: Int64) {
        let foreign = buffer(.startOfExposure, at: LocalTime(nanoseconds: nanoseconds))
        #expect(apply(foreign, exposure: nil).midExposure == dequeued)
    }

    @Test func theDriversFlagsWouldBeMisread() {
        #expect(FilledBuffer.StampClock(flags: 0x12003) == .monotonic)
        #expect(FilledBuffer.StampClock(flags: 0x4000) == .unknown)
        #expect(FilledBuffer.StampClock(flags: 0) == .unknown)
        #expect(FilledBuffer.StampSource(flags: 0x12003) == .startOfExposure)
        #expect(FilledBuffer.StampSource(flags: 0x2003) == .endOfFrame)
        #expect(FilledBuffer.StampSource(flags: 0x30000) == .unknown)
    }
}
