import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

struct FormatChoiceTests {
    private let webcam: [FormatChoice.Offer] = [
        .init(format: .yuyv, sizes: [FrameSizes(width: 640, height: 480), FrameSizes(width: 3840, height: 2160)]),
        .init(format: FourCC("NV12"), sizes: [FrameSizes(width: 1920, height: 1080)]),
        .init(
            format: .mjpeg,
            sizes: [(640, 480), (1920, 1080), (3840, 2160), (1280, 720)].map { FrameSizes(width: $0.0, height: $0.1) }),
    ]

    private func choice(_ request: FormatRequest = .init(), _ fourccs: String...) throws -> FormatChoice {
        try FormatChoice.choose(
            request, from: fourccs.map { .init(format: FourCC($0), sizes: [FrameSizes(width: 640, height: 480)]) })
    }

    @Test func aCameraWithoutSettingsWouldSendRawFramesOverUSB() throws {
        let choice = try FormatChoice.choose(FormatRequest(), from: webcam)
        #expect(choice.source == DriverFormat(.mjpeg))
        #expect((choice.width, choice.height) == (1920, 1080))
    }

    @Test func theConfiguredFormatWouldBeIgnored() throws {
        let request = FormatRequest(pixelFormat: .yuyv, width: 3840, height: 2160)
        let choice = try FormatChoice.choose(request, from: webcam)
        #expect(choice.source == DriverFormat(.yuyv))
        #expect((choice.width, choice.height) == (3840, 2160))
    }

    @Test func theMoreCostlyOfTwoFormatsWouldBeTaken() throws {
        #expect(try choice(.init(), "UYVY", "YUYV", "NV12").source.pixelFormat == .nv12)
        #expect(try choice(.init(), "RGB3", "GREY", "YUYV").source.pixelFormat == .yuyv)
        #expect(try choice(.init(), "Y10", "GREY", "Y12").source.pixelFormat == .grey)
    }

    @Test func aConversionWouldBePreferredToAFormatAsItIs() throws {
        #expect(try choice(.init(pixelFormat: .yu12), "YV12", "YU12").source == DriverFormat(FourCC("YU12")))
        #expect(try choice(.init(), "BGR3", "Y12").source == DriverFormat(FourCC("Y12")))
    }

    @Test func aSensorsMosaicWouldBeTakenWhereStillsCanBeMade() throws {
        #expect(try choice(.init(), "RG10", "BGR3").source.pixelFormat == .rgb24)
        #expect(try choice(.init(), "RG10").source.pixelFormat == .rggb10)
    }

    @Test func aCameraOfOtherFormatsWouldNotBeConverted() throws {
        let converted = try choice(.init(), "Z16", "BGR3")
        #expect(converted.source.pixelFormat == .rgb24)
        #expect(converted.source.convertedFrom == FourCC("BGR3"))
    }

    @Test func aSizeThatIsNotOnOfferWouldBecomeAnotherOneSilently() {
        let request = FormatRequest(pixelFormat: .mjpeg, width: 1281, height: 720)
        let error = #expect(throws: FormatChoice.Unsupported.self) { try FormatChoice.choose(request, from: webcam) }
        #expect(error?.description.contains("MJPG in 1281x720") == true)
        #expect(error?.description.contains("1280x720") == true)
    }

    @Test func aCameraOfUnknownFormatsWouldBeStartedInVain() {
        let error = #expect(throws: FormatChoice.Unsupported.self) { try choice(.init(), "Z16", "H264") }
        #expect(error?.description.contains("offers Z16 , H264") == true)
    }

    @Test func aSizeThatTheConversionOverrunsWouldBeTaken() {
        let odd = [FormatChoice.Offer(format: FourCC("BGR3"), sizes: [FrameSizes(width: 644, height: 483)])]
        #expect(throws: FormatChoice.Unsupported.self) { try FormatChoice.choose(.init(), from: odd) }
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
        let silent = [FormatChoice.Offer(format: .yuyv, sizes: [])]
        #expect(throws: FormatChoice.Unsupported.self) { try FormatChoice.choose(request, from: silent) }
    }

    @Test func aDriversSenselessRangeWouldTrap() {
        #expect(SteppedRange(10, 5, step: 0).largest(notAbove: 20) == nil)
        #expect(SteppedRange(0, .max, step: .max).largest(notAbove: .max) == .max)
        #expect(!SteppedRange(10, 5, step: 0).contains(7))
        #expect(SteppedRange(5, 9, step: 0).contains(7))
    }
}

struct FormatConverterTests {
    private let width = 16
    private let height = 8

    private func converter(_ source: DriverFormat) throws -> FormatConverter {
        let structure = try #require(source.structure)
        let sourceByteCount = try #require(structure.byteCount(width: width, height: height))
        let targetByteCount = try #require(source.pixelFormat.byteCount(width: width, height: height))
        return try #require(
            FormatConverter(
                from: source.convertedFrom ?? source.fourcc, bytesPerRow: structure.planes[0].rowBytes(width: width),
                sourceByteCount: sourceByteCount, to: FourCC(source.pixelFormat.rawValue),
                targetByteCount: targetByteCount, width: width, height: height))
    }

    @Test func redAndBlueWouldBeExchanged() throws {
        let samples = (0..<width * height).map { UInt8($0) }
        let bgr = samples.flatMap { sample -> [UInt8] in [sample, 100, 200] }
        let rgb = samples.flatMap { sample -> [UInt8] in [200, 100, sample] }
        let source = try #require(DriverFormat(FourCC("BGR3")))
        #expect(try converter(source).convert(bgr) == rgb)
    }

    @Test func theColorsOfAPlanarPictureWouldBeExchanged() throws {
        let luma = (0..<width * height).map { UInt8($0) }
        let (first, second) = ([UInt8](repeating: 60, count: 32), [UInt8](repeating: 190, count: 32))
        let source = try #require(DriverFormat(FourCC("YM21")))
        #expect(source.convertedFrom == FourCC("YV12"))
        #expect(try converter(source).convert(luma + first + second) == luma + second + first)
    }

    @Test func deepGrayWouldBecomeNoise() throws {
        let samples = (0..<width * height).map { UInt8($0) }
        let gray = [UInt8](repeating: 128, count: 64)
        let little = try converter(#require(DriverFormat(FourCC("Y16"))))
        #expect(little.convert(samples.flatMap { [0x55, $0] }) == samples + gray)
        let big = try converter(#require(DriverFormat(FourCC("Y16").bigEndian)))
        #expect(big.convert(samples.flatMap { [$0, 0x55] }) == samples + gray)
    }

    @Test(arguments: [
        "NV16", "NV61", "NM16", "NM61", "Y16", "Y10B", "YVYU", "YV12", "YM21", "pBAA", "pGAA", "pgAA", "pRAA", "BGR3",
        "RGBP", "BGR4", "RGB4", "AR24", "XR24", "BA24", "BX24",
    ])
    func aFormatThatIsOfferedAsConvertedWouldNotBe(_ name: String) throws {
        let source = try #require(DriverFormat(FourCC(name)))
        let count = try #require(source.structure?.byteCount(width: width, height: height))
        let picture = [UInt8](repeating: 77, count: count)
        let converted = try converter(source).convert(picture)
        #expect(converted?.count == source.pixelFormat.byteCount(width: width, height: height))
    }

    @Test func aShortFrameWouldBeReadBeyondItsEnd() throws {
        let converter = try converter(#require(DriverFormat(FourCC("YVYU"))))
        for count in [0, 1, 255, 257] { #expect(converter.convert([UInt8](repeating: 1, count: count)) == nil) }
        #expect(converter.convert([UInt8](repeating: 1, count: 256)) != nil)
    }

    @Test(arguments: [(0, 0), (4, 2), (16, 7), (18, 8), (-8, 2), (65_536, 2), (Int.max, 2)])
    func aSizeThatTheLibraryOverrunsWouldBeTaken(_ width: Int, _ height: Int) {
        #expect(!FormatConverter.accepts(width: width, height: height))
    }
}
