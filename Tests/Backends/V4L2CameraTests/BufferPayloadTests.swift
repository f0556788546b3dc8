import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

struct FramePayloadTests {
    /// A frame of 4 x 3 pixels (4 x 4 of 4:2:0) in one memory plane.
    private func payload(
        _ format: PixelFormat, height: UInt32 = 3, bytesPerRow: UInt32, filled: FilledPlane, capacity: Int = 4096
    ) -> BufferPayload {
        let layout = PixelLayout(
            format: .yuyv, width: 4, height: height, planes: [.init(bytesPerRow: bytesPerRow)])
        return BufferPayload(format.family.structure, layout, filled: [filled], capacities: [capacity])
    }

    @Test func aPictureWouldHaveTheWrongBytesAtItsEnd() {
        #expect(payload(.yuyv, bytesPerRow: 8, filled: .init(end: 24)) == .whole(offset: 0, count: 24))
        #expect(payload(.yuyv, bytesPerRow: 0, filled: .init(end: 30)) == .whole(offset: 0, count: 24))
        #expect(payload(.mjpeg, bytesPerRow: 0, filled: .init(end: 17)) == .whole(offset: 0, count: 17))
        #expect(payload(.nv12, height: 4, bytesPerRow: 4, filled: .init(end: 24)) == .whole(offset: 0, count: 24))
        #expect(payload(.y10, bytesPerRow: 8, filled: .init(end: 24)) == .whole(offset: 0, count: 24))
        #expect(payload(.rgb24, bytesPerRow: 12, filled: .init(end: 36)) == .whole(offset: 0, count: 36))
    }

    @Test func aPictureBehindADriversHeaderWouldBeShifted() {
        let filled = FilledPlane(offset: 128, end: 152)
        #expect(payload(.yuyv, bytesPerRow: 8, filled: filled) == .whole(offset: 128, count: 24))
        #expect(payload(.mjpeg, bytesPerRow: 0, filled: filled) == .whole(offset: 128, count: 24))
    }

    @Test func aPictureWithPaddedRowsWouldLeanToOneSide() {
        let packed = payload(.yuyv, bytesPerRow: 16, filled: .init(end: 48), capacity: 48)
        #expect(packed == .scattered([BufferPart(memoryPlane: 0, offset: 0, rows: 3, rowBytes: 8, stride: 16)]))
        // Of a last row the padding may be missing.
        #expect(payload(.yuyv, bytesPerRow: 16, filled: .init(end: 40)) == packed)
        #expect(payload(.yuyv, bytesPerRow: 16, filled: .init(end: 39)) == .incomplete)
    }

    @Test func theColorsOfAPaddedPlanarPictureWouldLeanOrShift() {
        let chroma = BufferPart(memoryPlane: 0, offset: 64, rows: 2, rowBytes: 4, stride: 16)
        let luma = BufferPart(memoryPlane: 0, offset: 0, rows: 4, rowBytes: 4, stride: 16)
        #expect(payload(.nv12, height: 4, bytesPerRow: 16, filled: .init(end: 96)) == .scattered([luma, chroma]))
        #expect(
            payload(.yu12, height: 4, bytesPerRow: 16, filled: .init(end: 96))
                == .scattered([
                    luma, BufferPart(memoryPlane: 0, offset: 64, rows: 2, rowBytes: 2, stride: 8),
                    BufferPart(memoryPlane: 0, offset: 80, rows: 2, rowBytes: 2, stride: 8),
                ]))
    }

    @Test func planesInMemoryOfTheirOwnWouldBeReadFromTheFirst() {
        let layout = PixelLayout(
            format: FourCC("NM12"), width: 4, height: 4, planes: [.init(bytesPerRow: 4), .init(bytesPerRow: 8)])
        let structure = PixelFormat.nv12.family.structure
        let filled = [FilledPlane(offset: 128, end: 144), FilledPlane(end: 16)]
        let expected: [BufferPart] = [
            .init(memoryPlane: 0, offset: 128, rows: 4, rowBytes: 4, stride: 4),
            .init(memoryPlane: 1, offset: 0, rows: 2, rowBytes: 4, stride: 8),
        ]
        #expect(BufferPayload(structure, layout, filled: filled, capacities: [4096, 16]) == .scattered(expected))
        #expect(BufferPayload(structure, layout, filled: filled, capacities: [4096, 11]) == .incomplete)
        #expect(BufferPayload(structure, layout, filled: [filled[0]], capacities: [4096]) == .incomplete)
    }

    @Test func aDriversWrongSizeWouldBeReadBeyondItsBuffer() {
        #expect(payload(.mjpeg, bytesPerRow: 0, filled: .init(end: 9000)) == .whole(offset: 0, count: 4096))
        #expect(payload(.yuyv, bytesPerRow: 8, filled: .init(end: 24), capacity: 23) == .incomplete)
        #expect(payload(.yuyv, bytesPerRow: .max, filled: .init(end: .max)) == .incomplete)
        #expect(payload(.nv21, height: .max, bytesPerRow: .max, filled: .init(offset: .max, end: .max)) == .incomplete)
        #expect(payload(.yuyv, bytesPerRow: 8, filled: .init(offset: .max, end: 24)) == .incomplete)
        #expect(payload(.mjpeg, bytesPerRow: 8, filled: .init(offset: 25, end: 24)) == .incomplete)
    }

    @Test func anEmptyFrameWouldBecomeAPhoto() {
        #expect(payload(.mjpeg, bytesPerRow: 0, filled: .init(end: 0)) == .incomplete)
        #expect(payload(.yuyv, bytesPerRow: 8, filled: .init(end: 10)) == .incomplete)
    }
}

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

    @Test("A stamp whose clock or instant the driver does not say is the arrival's")
    func origins() {
        #expect(StampOrigin(buffer(.startOfExposure)) == .startOfExposure)
        #expect(StampOrigin(buffer(.endOfFrame)) == .endOfFrame)
        #expect(StampOrigin(buffer(.unknown)) == .arrival)
        #expect(StampOrigin(buffer(.startOfExposure, clock: .unknown)) == .arrival)
    }

    private func apply(
        _ buffer: FilledBuffer, exposure: Duration?, _ correction: StampCorrection = .init()
    ) -> StampRule.Result {
        StampRule(correction: correction, frameInterval: frameInterval)
            .apply(
                to: buffer, exposure: exposure, limit: frameInterval, arrival: Arrival(instant: dequeued, delay: .zero))
    }

    @Test func aStampAtTheStartOfExposureWouldBeReportedAsItsMiddle() {
        let correction = StampCorrection(latencyOffset: .milliseconds(-3), uncertainty: .milliseconds(1))
        let result = apply(buffer(.startOfExposure), exposure: .milliseconds(10), correction)
        #expect(result.midExposure == stamp + .milliseconds(2))
        #expect(result.bound == .milliseconds(6))
    }

    @Test func aStampAtTheEndOfTheFrameWouldBeReportedAsMidExposure() {
        let correction = StampCorrection(readout: .milliseconds(15), uncertainty: .zero)
        let result = apply(buffer(.endOfFrame), exposure: .milliseconds(10), correction)
        #expect(result.midExposure == stamp - .milliseconds(20))
        #expect(result.bound == .milliseconds(5))
    }

    @Test func anUnmeasuredCameraWouldClaimMoreThanIsKnown() {
        #expect(apply(buffer(.startOfExposure), exposure: .milliseconds(10)).bound == .milliseconds(45))
    }

    @Test("A measured offset is exact at its exposure, and off by the difference at another one")
    func measuredExposure() {
        let correction = StampCorrection(
            latencyOffset: .milliseconds(-30), uncertainty: .microseconds(400), measuredExposure: .milliseconds(8))
        for source in [FilledBuffer.StampSource.startOfExposure, .endOfFrame] {
            #expect(apply(buffer(source), exposure: .milliseconds(8), correction).bound == .microseconds(400))
            #expect(apply(buffer(source), exposure: .milliseconds(3), correction).bound == .microseconds(5400))
            #expect(apply(buffer(source), exposure: .milliseconds(20), correction).bound == .microseconds(12_400))
            // Between none and the limit of 40 ms, mid-exposure is off by half of what the exposure is.
            #expect(apply(buffer(source), exposure: nil, correction).bound == .microseconds(16_400))
            #expect(apply(buffer(source), exposure: .milliseconds(20), correction).isCorrected)
        }
        // The time of receipt says nothing of what was measured.
        #expect(!apply(buffer(.unknown), exposure: .milliseconds(8), correction).isCorrected)
        // A driver that stamps when the first payload arrives, 22 ms after the end of exposure. The offset is what was
        // measured at 8 ms: from 26 ms after mid-exposure, less the half of the exposure that the rule adds.
        for exposure in [1, 8, 15, 30].map({ Duration.milliseconds($0) }) {
            let expected = stamp - .milliseconds(22) - exposure / 2
            let result = apply(buffer(.startOfExposure), exposure: exposure, correction)
            #expect((result.midExposure - expected).magnitude <= result.bound)
        }
        // Without an uncertainty, nothing was measured.
        let bare = StampCorrection(measuredExposure: .milliseconds(8))
        let uncorrected = apply(buffer(.startOfExposure), exposure: .milliseconds(10), bare)
        #expect(uncorrected.bound == .milliseconds(45) && !uncorrected.isCorrected)
    }

    @Test func anUnknownExposureWouldCountAsNone() {
        let result = apply(buffer(.startOfExposure), exposure: nil, StampCorrection(uncertainty: .zero))
        #expect(result.midExposure == stamp)
        #expect(result.bound == .milliseconds(20))
    }

    @Test func aStampOfAnUnknownClockWouldBeTakenForOurs() {
        let measured = StampCorrection(uncertainty: .zero)
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
