import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct PhotoFormatChoiceTests {
    private let stream = VideoFormat(
        pixelFormat: .mjpeg, width: 1280, height: 720, frameInterval: .nanoseconds(33_333_333))

    private func offer(
        _ pixelFormat: PixelFormat, _ sizes: [(Int, Int)], rates: [Double] = [30], convertedFrom: String? = nil
    ) -> FormatOffer {
        let intervals = rates.map {
            IntervalOffer(shortestNanoseconds: Int64(1e9 / $0), longestNanoseconds: Int64(1e9 / $0))
        }
        return FormatOffer(
            pixelFormat: pixelFormat, convertedFrom: convertedFrom,
            sizes: sizes.map {
                SizeOffer(widths: PixelRange($0.0, $0.0), heights: PixelRange($0.1, $0.1), intervals: intervals)
            })
    }

    private func largest(
        _ offers: [FormatOffer], _ pixelFormat: PixelFormat? = nil, needsMosaic: Bool = false,
        within limit: PixelSize? = nil
    ) -> VideoFormat? {
        PhotoFormatChoice.largest(
            of: offers, beside: stream, pixelFormat: pixelFormat, needsMosaic: needsMosaic, within: limit)?.format
    }

    @Test("Chooses the largest still within the limit")
    func size() {
        let offers = [offer(.mjpeg, [(640, 360), (1280, 720), (1920, 1080), (2592, 1944), (1600, 1200)])]
        #expect(
            largest(offers).map { PixelSize(width: $0.width, height: $0.height) }
                == PixelSize(width: 2592, height: 1944))
        #expect(largest(offers, within: PixelSize(width: 1920, height: 1200))?.width == 1920)
        #expect(largest(offers, within: PixelSize(width: 1900, height: 1200))?.width == 1600)
        #expect(largest(offers, within: PixelSize(width: 1900, height: 1100)) == nil, "nothing larger than the stream")
        #expect(largest([offer(.mjpeg, [(1280, 720)])]) == nil)
        #expect(largest([]) == nil)
    }

    @Test("Requests only sizes of the camera's grid")
    func grid() {
        let sizes = SizeOffer(
            widths: PixelRange(16, 4096, step: 16), heights: PixelRange(16, 4096, step: 8), intervals: [])
        let choice = largest(
            [FormatOffer(pixelFormat: .mjpeg, sizes: [sizes])], within: PixelSize(width: 2001, height: 1501))
        #expect(choice?.width == 2000 && choice?.height == 1496)
        #expect(choice?.frameInterval == stream.frameInterval, "assumed, where the driver does not tell")
        let broken = SizeOffer(widths: PixelRange(-4, .max), heights: PixelRange(0, .max), intervals: [])
        #expect(largest([FormatOffer(pixelFormat: .mjpeg, sizes: [broken])]) == nil)
    }

    @Test("Chooses the fastest unconverted format, and refuses where there is none")
    func preference() {
        let size = [(2592, 1944)]
        #expect(largest([offer(.rggb10, size)]) == nil)
        #expect(largest([offer(.yuyv, size, rates: [5]), offer(.mjpeg, size, rates: [15])])?.pixelFormat == .mjpeg)
        #expect(largest([offer(.yuyv, size), offer(.mjpeg, size)])?.pixelFormat == .mjpeg)
        #expect(largest([offer(.rgb24, size, convertedFrom: "BGR3"), offer(.yuyv, size)])?.pixelFormat == .yuyv)
        #expect(largest([offer(.yuyv, size), offer(.mjpeg, size)], .yuyv)?.pixelFormat == .yuyv)
    }

    @Test("Chooses the mosaic with the most pixels, then with the most bits, where the still needs the samples")
    func mosaic() {
        let (large, small) = ([(2592, 1944)], [(1600, 1200)])
        let offers = [
            offer(.mjpeg, [(4000, 3000)]), offer(.rggb10, large), offer(.rggb12Packed, large), offer(.rggb16, small),
        ]
        #expect(largest(offers, needsMosaic: true)?.pixelFormat == .rggb12Packed)
        let (full, less) = (PixelSize(width: 1920, height: 1200), PixelSize(width: 1500, height: 1000))
        #expect(largest(offers, needsMosaic: true, within: full)?.pixelFormat == .rggb16)
        #expect(largest(offers, needsMosaic: true, within: less) == nil)
        #expect(largest(offers, .mjpeg, needsMosaic: true)?.pixelFormat == .mjpeg, "the configured format alone")
        #expect(largest(offers)?.pixelFormat == .mjpeg)
        #expect(largest([offer(.mjpeg, large)], needsMosaic: true) == nil)
    }

    @Test("Requests a rate that the camera offers, no faster than needed")
    func rate() {
        func interval(_ rates: [Double]) -> Double? {
            largest([offer(.mjpeg, [(2592, 1944)], rates: rates)]).map {
                (1e9 / Double($0.frameIntervalNanoseconds)).rounded()
            }
        }
        #expect(interval([60, 30, 15, 5]) == 30)
        #expect(interval([15, 5]) == 15)
        #expect(interval([120, 60]) == 60)
    }
}
