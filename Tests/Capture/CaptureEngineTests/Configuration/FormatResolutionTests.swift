import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@Suite struct FormatResolutionTests {
    private func size(_ width: Int, _ height: Int, rates: Double...) -> SizeOffer {
        SizeOffer(
            widths: PixelRange(width, width), heights: PixelRange(height, height),
            intervals: rates.map {
                IntervalOffer(shortestNanoseconds: Int64(1e9 / $0), longestNanoseconds: Int64(1e9 / $0))
            })
    }

    /// As USB cameras offer it: large and fast compressed, large and slow as it is.
    private var offers: [FormatOffer] {
        [
            FormatOffer(
                pixelFormat: .yuyv,
                sizes: [size(640, 480, rates: 30), size(2592, 1944, rates: 2), size(1920, 1080, rates: 5)]),
            FormatOffer(pixelFormat: .mjpeg, sizes: [size(1920, 1080, rates: 15, 30), size(1280, 720, rates: 60)]),
        ]
    }

    private func resolve(_ preset: SessionPreset, _ wish: FormatRequest = FormatRequest()) -> String? {
        FormatResolution.resolve(preset, wish: wish, offers: offers).map { format in
            let rate = format.framesPerSecond.map { " \(Int($0.rounded()))" } ?? ""
            return "\(format.pixelFormat?.rawValue ?? "-") \(format.width ?? 0)x\(format.height ?? 0)\(rate)"
        }
    }

    @Test("Chooses the largest picture for the photo preset")
    func photo() {
        #expect(resolve(.photo) == "YUYV 2592x1944 2")
        #expect(resolve(.photo, FormatRequest(pixelFormat: .mjpeg)) == "MJPG 1920x1080 30")
    }

    @Test("Chooses the largest picture that is fast enough for the best preset")
    func high() {
        #expect(resolve(.high) == "MJPG 1920x1080 30")
        #expect(resolve(.high, FormatRequest(framesPerSecond: 60)) == "MJPG 1280x720 60")
        #expect(resolve(.high, FormatRequest(framesPerSecond: 2)) == "YUYV 2592x1944 2")
        #expect(resolve(.high, FormatRequest(framesPerSecond: 120)) == nil)
    }

    @Test("Chooses at most a quarter and a sixteenth of the pixels for the smaller presets")
    func smaller() {
        #expect(resolve(.medium) == "YUYV 640x480 30")
        #expect(resolve(.medium, FormatRequest(framesPerSecond: 2)) == "MJPG 1280x720 2")
        #expect(resolve(.low) == "YUYV 640x480 30", "the camera has nothing smaller")
        #expect(resolve(.low, FormatRequest(framesPerSecond: 60)) == "MJPG 1280x720 60")
        #expect(resolve(.medium, FormatRequest(framesPerSecond: 120)) == nil)
    }

    @Test("Streams a mosaic only if it is configured, or all that the camera offers")
    func mosaic() {
        let samples = FormatOffer(
            pixelFormat: .rggb10Packed, sizes: [size(2304, 1296, rates: 30), size(4608, 2592, rates: 6)])
        let pictures = FormatOffer(
            pixelFormat: .mjpeg, sizes: [size(1920, 1080, rates: 30), size(4608, 2592, rates: 5)])
        for preset in [SessionPreset.photo, .high, .medium, .low] {
            func format(_ offers: [FormatOffer], _ wish: FormatRequest = FormatRequest()) -> PixelFormat? {
                FormatResolution.resolve(preset, wish: wish, offers: offers)?.pixelFormat
            }
            #expect(format([samples, pictures]) == .mjpeg && format([samples]) == .rggb10Packed)
            #expect(format([samples, pictures], FormatRequest(pixelFormat: .rggb10Packed)) == .rggb10Packed)
        }
    }

    @Test("Limits the size requested of a camera that scales freely")
    func madeToOrder() throws {
        let any = SizeOffer(
            widths: PixelRange(16, 16_384), heights: PixelRange(16, 16_384),
            intervals: [IntervalOffer(shortestNanoseconds: 1_000_000, longestNanoseconds: 1_000_000_000)],
            isMadeToOrder: true)
        let offers = [FormatOffer(pixelFormat: .mjpeg, sizes: [any, size(800, 600, rates: 25)])]
        let photo = try #require(FormatResolution.resolve(.photo, wish: FormatRequest(), offers: offers))
        #expect((photo.width, photo.height, photo.framesPerSecond) == (800, 600, 25))
        #expect(FormatResolution.resolve(.high, wish: FormatRequest(), offers: offers) == nil)
        #expect(FormatResolution.resolve(.high, wish: FormatRequest(framesPerSecond: 25), offers: offers)?.width == 800)
    }

    @Test(
        "Gives a virtual camera the size of each preset",
        arguments: [
            (SessionPreset.photo, 15.0, "1280x720 15"), (.high, 30, "1280x720 30"), (.high, 15, "640x360 30"),
            (.medium, 30, "640x360 30"), (.medium, 15, "320x180 30"), (.low, 30, "320x180 30"),
        ])
    func virtualSizes(preset: SessionPreset, configured: Double, expected: String) async throws {
        var configuration = VirtualCameraConfiguration()
        configuration.framesPerSecond = configured
        let camera = VirtualCamera(name: "cam", configuration: configuration)
        let offers = try await camera.capabilities().formats
        let format = try #require(FormatResolution.resolve(preset, wish: FormatRequest(), offers: offers))
        let stream = try await camera.start(format, clock: ManualTimeSource())
        #expect(stream.format.description == "MJPG \(expected) fps")
        await stream.stop()
    }

    @Test("Streams a virtual camera as configured under the larger presets")
    func virtual() async throws {
        var configuration = VirtualCameraConfiguration()
        (configuration.width, configuration.height, configuration.framesPerSecond) = (800, 600, 29.97)
        let camera = VirtualCamera(name: "cam", configuration: configuration)
        let offers = try await camera.capabilities().formats
        for preset in [SessionPreset.photo, .high] {
            let format = try #require(FormatResolution.resolve(preset, wish: FormatRequest(), offers: offers))
            let stream = try await camera.start(format, clock: ManualTimeSource())
            #expect((stream.format.width, stream.format.height) == (800, 600))
            #expect(stream.format.description == "MJPG 800x600 29.97 fps")
            await stream.stop()
        }
        configuration.framesPerSecond = .nan
        let unsound = VirtualCamera(name: "cam", configuration: configuration)
        #expect(try await unsound.capabilities().formats.first?.sizes.count == 1, "any, and none of its own")
    }

    @Test("Keeps the configured format where it has priority")
    func inputPriority() {
        #expect(resolve(.inputPriority, FormatRequest(width: 7, height: 5)) == "- 7x5")
    }

    @Test("Handles cameras with no sizes or rates, or impossible ones")
    func poorOffers() {
        let odd = [
            FormatOffer(pixelFormat: .mjpeg, sizes: []),
            FormatOffer(
                pixelFormat: .yuyv,
                sizes: [
                    SizeOffer(
                        widths: PixelRange(.max, .max), heights: PixelRange(.max, .max),
                        intervals: [IntervalOffer(shortestNanoseconds: 0, longestNanoseconds: -1)])
                ]),
        ]
        #expect(FormatResolution.resolve(.high, wish: FormatRequest(), offers: odd) == nil)
        _ = FormatResolution.resolve(.photo, wish: FormatRequest(), offers: odd)
        #expect(FormatResolution.resolve(.photo, wish: FormatRequest(), offers: []) == nil)
    }
}
