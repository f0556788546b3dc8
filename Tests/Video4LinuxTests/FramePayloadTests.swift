import CaptureModel
import Testing
import Video4Linux

@testable import CaptureDevices

struct FramePayloadTests {
    private func layout(_ bytesPerRow: UInt32) -> PixelLayout {
        PixelLayout(format: .yuyv, width: 4, height: 3, bytesPerRow: bytesPerRow, byteCount: 0)
    }

    @Test func aPictureWouldHaveTheWrongBytesAtItsEnd() {
        #expect(FramePayload(.yuyv, layout(8), bytesUsed: 24, capacity: 4096) == .leading(count: 24))
        #expect(FramePayload(.yuyv, layout(0), bytesUsed: 30, capacity: 4096) == .leading(count: 24))
        #expect(FramePayload(.mjpeg, layout(0), bytesUsed: 17, capacity: 4096) == .leading(count: 17))
    }

    @Test func aPictureWithPaddedRowsWouldLeanToOneSide() {
        let padded = FramePayload(.yuyv, layout(16), bytesUsed: 48, capacity: 48)
        #expect(padded == .padded(rows: 3, rowBytes: 8, stride: 16))
    }

    @Test func aDriversWrongSizeWouldBeReadBeyondItsBuffer() {
        #expect(FramePayload(.mjpeg, layout(0), bytesUsed: 9000, capacity: 4096) == .leading(count: 4096))
        #expect(FramePayload(.yuyv, layout(8), bytesUsed: 24, capacity: 23) == .incomplete)
        #expect(FramePayload(.yuyv, layout(.max), bytesUsed: .max, capacity: 4096) == .incomplete)
    }

    @Test func anEmptyFrameWouldBecomeAPhoto() {
        #expect(FramePayload(.mjpeg, layout(0), bytesUsed: 0, capacity: 4096) == .incomplete)
        #expect(FramePayload(.yuyv, layout(8), bytesUsed: 10, capacity: 4096) == .incomplete)
    }
}
