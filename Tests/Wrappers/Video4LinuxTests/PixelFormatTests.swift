import CaptureModel
import Testing
import Video4Linux

struct PixelFormatTests {
    @Test(arguments: [
        (PixelFormat.yuyv, 2 * 640 * 480), (.uyvy, 2 * 640 * 480), (.nv12, 640 * 480 * 3 / 2),
        (.nv21, 640 * 480 * 3 / 2),
        (.yu12, 640 * 480 * 3 / 2), (.grey, 640 * 480), (.y10, 2 * 640 * 480), (.y12, 2 * 640 * 480),
        (.rgb24, 3 * 640 * 480), (.rggb8, 640 * 480), (.bggr10, 2 * 640 * 480), (.grbg12, 2 * 640 * 480),
        (.gbrg16, 2 * 640 * 480), (.rggb14, 2 * 640 * 480), (.bggr10Packed, 640 * 480 * 5 / 4),
        (.rggb12Packed, 640 * 480 * 3 / 2), (.gbrg14Packed, 640 * 480 * 7 / 4),
    ])
    func aFrameWouldBeCutOrReadBeyondItsEnd(_ format: PixelFormat, _ count: Int) {
        #expect(format.byteCount(width: 640, height: 480) == count)
    }

    @Test func oddSizesWouldLoseTheirLastColors() {
        #expect(PixelFormat.yu12.byteCount(width: 5, height: 3) == 15 + 2 * 3 * 2)
        #expect(PixelFormat.nv12.byteCount(width: 5, height: 3) == 15 + 6 * 2)
        #expect(PixelFormat.yuyv.byteCount(width: 5, height: 1) == 12)
        #expect(PixelFormat.rggb10Packed.byteCount(width: 5, height: 3) == 30)
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 8), (65_536, 1), (Int.max, Int.max), (Int.min, 1)])
    func anAbsurdSizeWouldTrap(_ width: Int, _ height: Int) {
        for format in PixelFormat.allCases { #expect(format.byteCount(width: width, height: height) == nil) }
    }

    @Test func aCompressedFrameWouldBeHeldForOneOfFixedSize() {
        #expect(PixelFormat.mjpeg.byteCount(width: 640, height: 480) == nil)
    }

    @Test func aMosaicWouldLackADepthAPackingOrAnOrder() {
        let mosaics = PixelFormat.allCases.filter(\.family.isMosaic)
        #expect(mosaics.count == 4 * (5 + 3))
        #expect(Set(mosaics.map(\.family)).count == mosaics.count)
        for format in mosaics {
            guard case .bayer(let order, let bits, let isPacked) = format.family else { continue }
            #expect("\(format)" == "\(order)\(bits)\(isPacked ? "Packed" : "")")
        }
    }
}

struct VideoDeviceTests {
    @Test func aMissingDevicesErrorWouldNotSayWhatWasTried() {
        let error = #expect(throws: VideoError.self) { try VideoDevice(path: "/nowhere/video0") }
        #expect(error?.description == "/nowhere/video0: open: No such file or directory")
    }

    @Test func aFormatsNameWouldBeGarbled() {
        #expect(FourCC("MJPG").rawValue == 0x4750_4a4d)
        #expect(FourCC("Y8").description == "Y8  ")
        #expect(FourCC(rawValue: 1).description == "????")
        #expect(FourCC("Y16").bigEndian.description == "Y16 -BE")
    }
}
