import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

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
        #expect(!FormatConverter.takes(width: width, height: height))
    }
}
