import CaptureDevices
import CaptureEngine
import CaptureModel
import Testing

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

    @Test("The preset for photos takes a smaller picture than the camera offers")
    func photo() {
        #expect(resolve(.photo) == "YUYV 2592x1944 2")
        #expect(resolve(.photo, FormatRequest(pixelFormat: .mjpeg)) == "MJPG 1920x1080 30")
    }

    @Test("The best preset takes a picture that comes too slowly, or a smaller one than comes in time")
    func high() {
        #expect(resolve(.high) == "MJPG 1920x1080 30")
        #expect(resolve(.high, FormatRequest(framesPerSecond: 60)) == "MJPG 1280x720 60")
        #expect(resolve(.high, FormatRequest(framesPerSecond: 2)) == "YUYV 2592x1944 2")
        #expect(resolve(.high, FormatRequest(framesPerSecond: 120)) == nil)
    }

    @Test("The configured format is changed although it has priority")
    func inputPriority() {
        #expect(resolve(.inputPriority, FormatRequest(width: 7, height: 5)) == "- 7x5")
    }

    @Test("A camera that tells no sizes or rates, or impossible ones, ends the program")
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
