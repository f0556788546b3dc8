import CaptureModel
import Testing

struct PixelFormatTests {
    @Test(arguments: [
        (PixelFormat.yuyv, 2 * 640 * 480), (.uyvy, 2 * 640 * 480), (.nv12, 640 * 480 * 3 / 2),
        (.nv21, 640 * 480 * 3 / 2),
        (.yu12, 640 * 480 * 3 / 2), (.grey, 640 * 480), (.y10, 2 * 640 * 480), (.y12, 2 * 640 * 480),
        (.rgb24, 3 * 640 * 480), (.rggb8, 640 * 480), (.bggr10, 2 * 640 * 480), (.grbg12, 2 * 640 * 480),
        (.gbrg16, 2 * 640 * 480),
    ])
    func aFrameWouldBeCutOrReadBeyondItsEnd(_ format: PixelFormat, _ count: Int) {
        #expect(format.byteCount(width: 640, height: 480) == count)
    }

    @Test func oddSizesWouldLoseTheirLastColors() {
        #expect(PixelFormat.yu12.byteCount(width: 5, height: 3) == 15 + 2 * 3 * 2)
        #expect(PixelFormat.nv12.byteCount(width: 5, height: 3) == 15 + 6 * 2)
        #expect(PixelFormat.yuyv.byteCount(width: 5, height: 1) == 12)
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 8), (65_536, 1), (Int.max, Int.max), (Int.min, 1)])
    func anAbsurdSizeWouldTrap(_ width: Int, _ height: Int) {
        for format in PixelFormat.allCases { #expect(format.byteCount(width: width, height: height) == nil) }
    }

    @Test func aCompressedFrameWouldBeHeldForOneOfFixedSize() {
        #expect(PixelFormat.mjpeg.byteCount(width: 640, height: 480) == nil)
    }

    @Test func aStillWouldBeRefusedOfAnyOtherFormatThanAMosaic() {
        let without = PixelFormat.allCases.filter { !$0.family.makesStills }
        #expect(without.count == 16)
        #expect(without.allSatisfy { if case .bayer = $0.family { true } else { false } })
    }
}
