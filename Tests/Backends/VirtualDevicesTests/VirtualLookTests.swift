import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import Testing
import TimeCode
import TurboJPEG

@testable import VirtualDevices

@Suite("Virtual camera: look")
struct VirtualLookTests {
    private let layout: TimeCodeLayout

    init() throws {
        layout = try TimeCodeLayout(width: 640, height: 360)
    }

    private func lens(
        _ change: (inout VirtualLook) -> Void = { _ in }, _ set: (inout VirtualControlValues) -> Void = { _ in }
    ) -> LookLens {
        var look = VirtualLook()
        change(&look)
        var configuration = VirtualCameraConfiguration()
        configuration.look = look
        var values = VirtualControlValues(configuration)
        set(&values)
        var adaptation = VirtualAdaptation(values)
        adaptation.advance(values, look)
        return LookLens(look, values, adaptation)
    }

    /// Returns the mean of a region as sRGB encodes it, red, green, blue; 0 to 1 in linear light.
    private func mean(_ lens: LookLens, light: Double = 1, x: Double = 0.5, y: Double = 0.5) throws -> [Double] {
        var scene = try LookScene(layout, quality: 90)
        let code = TimeCode(realtimeNanoseconds: 1_789_000_123_456_789_012, frameNumber: 7, cameraNumber: 3)
        let jpeg = try scene.picture(code, lens, light: light)
        #expect(try VirtualBench.code(jpeg) == code)
        var image = PlanarImage()
        try JPEGDecoder().decodePlanes(jpeg.span, into: &image)
        let (width, height, offsets) = (image.geometry.width, image.geometry.height, image.offsets)
        var sums = [0.0, 0.0, 0.0]
        var count = 0.0
        for row in Int((y - 0.1) * Double(height))..<Int((y + 0.1) * Double(height)) {
            for column in Int((x - 0.1) * Double(width))..<Int((x + 0.1) * Double(width)) {
                let luma = Double(image.bytes[offsets[0] + row * image.geometry.strides[0] + column])
                let cb = Double(image.bytes[offsets[1] + row * image.geometry.strides[1] + column / 2]) - 128
                let cr = Double(image.bytes[offsets[2] + row * image.geometry.strides[2] + column / 2]) - 128
                let rgb = [luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb]
                for (index, value) in rgb.enumerated() { sums[index] += linear(value / 255) }
                count += 1
            }
        }
        return sums.map { $0 / count }
    }

    private func linear(_ encoded: Double) -> Double {
        encoded <= 0.04045 ? encoded / 12.92 : pow((max(encoded, 0) + 0.055) / 1.055, 2.4)
    }

    private func expect(_ mean: [Double], _ wanted: [Double], _ comment: Comment? = nil) {
        for (value, wanted) in zip(mean, wanted) { #expect(abs(value / wanted - 1) < 0.015, comment) }
    }

    @Test func `A nominal camera shows the card as gray of 18 percent`() throws {
        expect(try mean(lens()), [0.18, 0.18, 0.18])
        expect(try mean(lens(), light: 2), [0.36, 0.36, 0.36], "twice the light")
    }

    @Test func `A look changes brightness, color, tone and corners`() throws {
        expect(try mean(lens { $0.gainDecibels = 6.0206 }), [0.36, 0.36, 0.36])
        let tinted = lens({ ($0.red, $0.blue) = (1.25, 0.8) }, { $0.isAutoWhiteBalance = false })
        expect(try mean(tinted), [0.225, 0.18, 0.144])
        expect(try mean(lens { $0.toneExponent = 1.2 }), [0.1277, 0.1277, 0.1277])
        let corner = try mean(lens { $0.vignetting = 0.5 }, x: 0.88, y: 0.88)
        let plain = try mean(lens(), x: 0.88, y: 0.88)
        #expect(corner[1] / plain[1] < 0.8)
    }

    @Test func `White balance takes the tint away, by itself or by its controls`() throws {
        expect(try mean(lens { ($0.red, $0.blue) = (1.25, 0.8) }), [0.18, 0.18, 0.18])
        let manual = lens(
            { ($0.red, $0.blue) = (1.28, 0.8) },
            { ($0.isAutoWhiteBalance, $0.redBalance, $0.blueBalance) = (false, 100, 160) })
        expect(try mean(manual), [0.18, 0.18, 0.18])
        #expect(manual.raw.factors[0] > 1.2, "a sensor's samples come before white balance")
    }

    @Test func `Light that flickers is brighter and darker around its mean`() {
        let flicker = lens { ($0.flickerHertz, $0.flickerDepth) = (100, 0.2) }
        let instants = (0..<10).map { LocalTime(nanoseconds: $0 * 1_000_000) }
        let short: [Double] = instants.map { flicker.flicker(at: $0, for: .microseconds(10)) }
        #expect(abs(short.reduce(0, +) / 10 - 1) < 0.001)
        #expect((short.max() ?? 0) > 1.18 && (short.min() ?? 1) < 0.82)
        let whole = flicker.flicker(at: LocalTime(nanoseconds: 2_500_000), for: .milliseconds(10))
        #expect(abs(whole - 1) < 0.001, "an exposure of a whole period sees no flicker")
    }

    @Test func `Automatic modes approach their goal frame by frame`() {
        var look = VirtualLook()
        (look.gainDecibels, look.red, look.adaptationFrames) = (6.0206, 0.5, 10)
        var configuration = VirtualCameraConfiguration()
        configuration.look = look
        var values = VirtualControlValues(configuration)
        values.isAutoExposure = true
        var adaptation = VirtualAdaptation(values)
        var exposures: [Double] = []
        for _ in 0..<80 {
            adaptation.advance(values, look)
            exposures.append(adaptation.exposureMilliseconds)
        }
        #expect(zip(exposures, exposures.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(exposures[0] > 7 && exposures[9] < 5.5)
        #expect(abs((exposures.last ?? 0) - 4) < 0.01)
        #expect(abs(adaptation.red - 2) < 0.01)
    }

    @Test func `A driver that does not report automatic values reports the last manual ones`() async throws {
        var configuration = VirtualCameraConfiguration()
        configuration.look = VirtualLook()
        configuration.look?.gainDecibels = 6.0206
        configuration.controls.reportsAutomaticValues = false
        let camera = VirtualCamera(name: "cam", configuration: configuration)
        let clock = ManualTimeSource()
        let stream = try await camera.start(FormatRequest(), clock: clock)
        _ = try await stream.setControls(["exposure_time_absolute": 120])
        let read = try await stream.setControls(["auto_exposure": 0])
        #expect(read["auto_exposure"] == 0)
        let reported = try await stream.controls().first { $0.name == "exposure_time_absolute" }
        #expect(reported?.value == 120)
        await stream.stop()
    }

    @Test func `Only a camera with a look has balances and targets`() async throws {
        var configuration = VirtualCameraConfiguration()
        #expect(try await names(configuration).isDisjoint(with: ["red_balance", "blue_balance", "test_pattern"]))
        configuration.look = VirtualLook()
        #expect(try await names(configuration).isSuperset(of: ["red_balance", "blue_balance", "test_pattern"]))
    }

    private func names(_ configuration: VirtualCameraConfiguration) async throws -> Set<String> {
        Set(try await VirtualCamera(name: "cam", configuration: configuration).capabilities().controls.map(\.name))
    }
}
