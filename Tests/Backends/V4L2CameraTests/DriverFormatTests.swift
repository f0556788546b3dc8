import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

struct DriverFormatTests {
    @Test(arguments: PixelFormat.allCases) func aFormatOfTheConfigurationWouldBeUnknownToTheDriver(
        _ format: PixelFormat
    ) {
        let source = DriverFormat(FourCC(format.rawValue))
        #expect(source?.pixelFormat == format)
        #expect(source?.convertedFrom == nil)
        #expect(source?.structure == format.family.structure)
    }

    @Test(arguments: [("NM12", PixelFormat.nv12), ("NM21", .nv21), ("YM12", .yu12), ("JPEG", .mjpeg)])
    func theSameFormatUnderAnotherNameWouldBeConverted(_ name: String, _ format: PixelFormat) {
        #expect(DriverFormat(FourCC(name))?.pixelFormat == format)
        #expect(DriverFormat(FourCC(name))?.convertedFrom == nil)
    }

    /// libv4lconvert decodes these without regard to how many bytes there are.
    @Test(arguments: ["S561", "S910", "P207", "SONX", "PJPG", "OV51", "JPGL", "H264", "HSV3"])
    func aDecoderThatACameraCouldCrashWouldBeUsed(_ name: String) {
        #expect(DriverFormat(FourCC(name)) == nil)
    }

    @Test func grayWouldLoseItsEndsAndVideoItsContrast() throws {
        func range(_ name: String, _ told: PixelLayout.Range = .formatsDefault) throws -> SampleRange {
            try #require(DriverFormat(FourCC(name))).range(told)
        }
        #expect(try range("YUYV") == .limited)
        #expect(try range("YUYV", .full) == .full)
        #expect(try range("YV12") == .limited)
        #expect(try range("GREY") == .full)
        #expect(try range("GREY", .limited) == .limited)
        #expect(try range("Y16") == .full)
        #expect(try range("RGB3", .limited) == .full)
    }

    @Test func theRangeThatADriverTellsWouldBeMisread() {
        #expect(PixelLayout.Range(quantization: 1, colorspace: 8) == .full)
        #expect(PixelLayout.Range(quantization: 2, colorspace: 7) == .limited)
        #expect(PixelLayout.Range(quantization: 0, colorspace: 7) == .full)
        #expect(PixelLayout.Range(quantization: 0, colorspace: 8) == .formatsDefault)
    }
}
