import CaptureModel
import Testing
import TurboJPEG

@testable import CaptureEngine

/// A picture, what is asked of it, and what comes of it.
private struct Case<Wish: Sendable>: Sendable, CustomTestStringConvertible {
    var picture: PixelSize
    var wish: Wish
    var size: PixelSize
    var scales: [DecodeScale]

    init(_ picture: (Int, Int), _ wish: Wish, _ size: (Int, Int), _ scales: DecodeScale...) {
        self.picture = PixelSize(width: picture.0, height: picture.1)
        self.wish = wish
        self.size = PixelSize(width: size.0, height: size.1)
        self.scales = scales
    }

    var testDescription: String { "\(picture) \(wish)" }

    func expect(_ plan: ScalePlan) {
        #expect(plan.size == size)
        #expect(plan.scales == scales)
    }
}

private struct Small: Sendable {
    var limit: Int
    var shape: ThumbnailShape

    static func whole(_ limit: Int) -> Small { Small(limit: limit, shape: .whole) }
    static func square(_ limit: Int) -> Small { Small(limit: limit, shape: .square) }
}

private func box(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

@Suite struct ScalePlanTests {
    @Test(
        "A preview is larger than asked, or smaller than it could be",
        arguments: [
            Case((1280, 720), box(640, 360), (640, 360), .half),
            Case((1920, 1080), box(640, 360), (480, 270), .quarter),
            Case((640, 360), box(640, 360), (640, 360), .full), Case((641, 360), box(640, 360), (321, 180), .half),
            Case((640, 361), box(640, 360), (320, 181), .half), Case((160, 120), box(640, 360), (160, 120), .full),
            Case((720, 1280), box(640, 360), (180, 320), .quarter),
            Case((4000, 3000), box(640, 480), (500, 375), .eighth),
            Case((16_000, 9_000), box(640, 360), (500, 282), .eighth, .quarter),
            Case((9, 9), box(0, 0), (1, 1), .eighth, .half),
        ])
    fileprivate func aspect(_ item: Case<PixelSize>) {
        item.expect(ScalePlan(of: item.picture, into: item.wish, gravity: .aspect))
    }

    @Test(
        "A preview that is to fill its box has another shape than the box",
        arguments: [
            Case((1280, 720), box(320, 320), (320, 320), .half), Case((1280, 720), box(640, 360), (640, 360), .half),
            Case((160, 120), box(640, 360), (160, 90), .full), Case((100, 400), box(640, 640), (100, 100), .full),
            Case((16_000, 9_000), box(64, 36), (64, 36), .eighth, .eighth, .half),
            Case((1, 1), box(65_535, 16), (1, 1), .full),
            Case((1, 9), box(0, 0), (1, 1), .eighth, .eighth),
        ])
    fileprivate func aspectFill(_ item: Case<PixelSize>) {
        item.expect(ScalePlan(of: item.picture, into: item.wish, gravity: .aspectFill))
    }

    @Test(
        "Stretches a picture to exactly its box",
        arguments: [
            Case((1280, 720), box(320, 320), (320, 320), .half), Case((1280, 720), box(640, 360), (640, 360), .half),
            Case((160, 120), box(640, 360), (640, 360), .full), Case((100, 400), box(90, 90), (90, 90), .full),
            Case((16_000, 9_000), box(64, 36), (64, 36), .eighth),
            Case((640, 480), box(1_000_000, 0), (4096, 1), .full), Case((9, 9), box(-1, .min), (1, 1), .eighth),
        ])
    fileprivate func resize(_ item: Case<PixelSize>) {
        let plan = ScalePlan(of: item.picture, into: item.wish, gravity: .resize)
        item.expect(plan)
        #expect(plan.isStretched == (item.testDescription != "1280x720 640x360"))
    }

    @Test("Shows the whole picture in a stretched one, each part at its place", arguments: ChromaSubsampling.allCases)
    func stretched(subsampling: ChromaSubsampling) throws {
        // Four quarters of other brightness.
        let (size, shades) = (PixelSize(width: 161, height: 121), [40, 90, 150, 210] as [UInt8])
        let geometry = PlaneGeometry(width: size.width, height: size.height, subsampling: subsampling)
        var planes = geometry.planeSizes.map { [UInt8](repeating: 128, count: $0.width * $0.height) }
        let stride = geometry.strides[0]
        for y in 0..<size.height {
            for x in 0..<size.width { planes[0][y * stride + x] = shades[(x < 80 ? 0 : 1) + (y < 60 ? 0 : 2)] }
        }
        let (luma, cb, cr) = (planes[0], planes.count > 1 ? planes[1] : [], planes.count > 2 ? planes[2] : [])
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: luma.span, cb: cb.span, cr: cr.span, quality: 95, into: &jpeg)
        for target in [box(320, 40), box(30, 200), box(33, 31)] {
            let plan = ScalePlan(of: size, into: target, gravity: .resize)
            let picture = try PictureStretcher().stretch(jpeg, as: plan, quality: 95)
            var shown = LumaImage()
            try JPEGDecoder().decodeLuma(picture, into: &shown)
            #expect(PixelSize(width: shown.width, height: shown.height) == target)
            for (index, shade) in shades.enumerated() {
                let x = target.width * (index % 2 * 2 + 1) / 4
                let y = target.height * (index / 2 * 2 + 1) / 4
                let found = shown.bytes[y * shown.width + x]
                #expect(abs(Int(found) - Int(shade)) <= 6, "\(target) \(index): \(found)")
            }
        }
    }

    @Test(
        "A small picture is larger than asked for, smaller than it could be, or announced with another size",
        arguments: [
            Case((1280, 720), Small.whole(320), (320, 180), .quarter),
            Case((1280, 720), .whole(319), (160, 90), .eighth), Case((1280, 720), .whole(1280), (1280, 720), .full),
            Case((160, 120), .whole(320), (160, 120), .full), Case((720, 1280), .whole(320), (180, 320), .quarter),
            Case((1280, 720), .square(160), (90, 90), .eighth),
            Case((4056, 3040), .whole(160), (127, 95), .eighth, .quarter),
            Case((4056, 3040), .square(160), (95, 95), .eighth, .quarter),
            Case((65_535, 65_535), .whole(1), (1, 1), .eighth, .eighth, .eighth, .eighth, .eighth, .half),
            Case((1, 1), .whole(0), (1, 1), .full),
        ])
    fileprivate func small(_ item: Case<Small>) {
        item.expect(ScalePlan(of: item.picture, limit: item.wish.limit, shape: item.wish.shape))
    }

    @Test("Scales to the announced size", arguments: [16, 45, 160, 400])
    func made(limit: Int) throws {
        for size in [PixelSize(width: 642, height: 362), PixelSize(width: 352, height: 640)] {
            var jpeg: [UInt8] = []
            let pixels = (0..<size.width * size.height * 2).map { UInt8(truncatingIfNeeded: $0 / 7) }
            try JPEGEncoder().encode(
                pixels.span, as: .yuyv, width: size.width, height: size.height, quality: 85, into: &jpeg)
            for plan in [
                ScalePlan(of: size, limit: limit, shape: .whole), ScalePlan(of: size, limit: limit, shape: .square),
                ScalePlan(of: size, into: box(limit, 45), gravity: .aspectFill), ScalePlan(of: size, by: .eighth),
            ] {
                let header = try JPEGDecoder().verify(try JPEGScaler().apply(plan, to: jpeg, quality: 80))
                #expect(PixelSize(width: header.width, height: header.height) == plan.size)
            }
        }
    }
}
