import CaptureModel
import Testing
import Video4Linux

@testable import CaptureDevices

struct FormatChoiceTests {
    private let webcam: [FormatChoice.Offer] = [
        .init(format: .yuyv, sizes: [FrameSizes(width: 640, height: 480), FrameSizes(width: 3840, height: 2160)]),
        .init(format: FourCC("NV12"), sizes: [FrameSizes(width: 1920, height: 1080)]),
        .init(
            format: .mjpeg,
            sizes: [(640, 480), (1920, 1080), (3840, 2160), (1280, 720)].map { FrameSizes(width: $0.0, height: $0.1) }),
    ]

    @Test func aCameraWithoutSettingsWouldSendRawFramesOverUSB() throws {
        let choice = try FormatChoice.choose(FormatRequest(), from: webcam)
        #expect(choice == FormatChoice(format: .mjpeg, pixelFormat: .mjpeg, width: 1920, height: 1080))
    }

    @Test func theConfiguredFormatWouldBeIgnored() throws {
        let request = FormatRequest(pixelFormat: .yuyv, width: 3840, height: 2160)
        let choice = try FormatChoice.choose(request, from: webcam)
        #expect(choice == FormatChoice(format: .yuyv, pixelFormat: .yuyv, width: 3840, height: 2160))
    }

    @Test func aSizeThatIsNotOnOfferWouldBecomeAnotherOneSilently() {
        let request = FormatRequest(pixelFormat: .mjpeg, width: 1281, height: 720)
        let error = #expect(throws: FormatChoice.Unsupported.self) { try FormatChoice.choose(request, from: webcam) }
        #expect(error?.description.contains("MJPG in 1281x720") == true)
        #expect(error?.description.contains("1280x720") == true)
    }

    @Test func aCameraOfOtherFormatsWouldBeStartedInVain() {
        let offers = [FormatChoice.Offer(format: FourCC("NV12"), sizes: [])]
        let error = #expect(throws: FormatChoice.Unsupported.self) {
            try FormatChoice.choose(FormatRequest(), from: offers)
        }
        #expect(error?.description.contains("offers NV12") == true)
    }

    @Test func aScalerWouldOnlyGiveItsLargestSize() throws {
        let scaler = FormatChoice.Offer(
            format: .yuyv,
            sizes: [FrameSizes(widths: SteppedRange(16, 4096, step: 16), heights: SteppedRange(16, 4096, step: 2))])
        let request = FormatRequest(width: 640, height: 362)
        #expect(try FormatChoice.choose(request, from: [scaler]).height == 362)
        #expect(try FormatChoice.choose(FormatRequest(), from: [scaler]).width == 1920)
    }

    @Test(arguments: [
        FormatRequest(width: -1, height: 480), FormatRequest(width: .max, height: .max), FormatRequest(width: 0),
    ])
    func anAbsurdSizeInTheConfigurationWouldTrap(_ request: FormatRequest) {
        #expect(throws: FormatChoice.Unsupported.self) { try FormatChoice.choose(request, from: webcam) }
    }

    @Test func aDriversSenselessRangeWouldTrap() {
        #expect(SteppedRange(10, 5, step: 0).largest(notAbove: 20) == nil)
        #expect(SteppedRange(0, .max, step: .max).largest(notAbove: .max) == .max)
        #expect(!SteppedRange(10, 5, step: 0).contains(7))
        #expect(SteppedRange(5, 9, step: 0).contains(7))
    }
}
