import CaptureModel
import Testing
import TurboJPEG

@testable import CaptureEngine

@Suite struct ScalePlanTests {
    private func plan(_ size: (width: Int, height: Int), _ box: (width: Int, height: Int), _ gravity: VideoGravity)
        -> ScalePlan
    {
        ScalePlan(fitting: size, into: box, gravity: gravity)
    }

    @Test(
        "A preview is larger than asked, or smaller than it could be",
        arguments: [
            ((1280, 720), (640, 360), DecodeScale.half), ((1920, 1080), (640, 360), .quarter),
            ((640, 360), (640, 360), .full), ((641, 360), (640, 360), .half), ((640, 361), (640, 360), .half),
            ((160, 120), (640, 360), .full), ((720, 1280), (640, 360), .quarter), ((4000, 3000), (640, 480), .eighth),
        ])
    func aspect(size: (Int, Int), box: (Int, Int), scale: DecodeScale) {
        let plan = plan(size, box, .aspect)
        #expect(plan.scale == scale && plan.width == nil && plan.height == nil)
        #expect(plan.keeps(size) == (scale == .full))
    }

    @Test("A picture too large for any scale has no preview")
    func tooLarge() {
        #expect(plan((16_000, 9_000), (640, 360), .aspect).scale == .eighth)
    }

    @Test(
        "A preview that is to fill its box has another shape than the box",
        arguments: [
            ((1280, 720), (320, 320), DecodeScale.half, (320, 320)), ((1280, 720), (640, 360), .half, (640, 360)),
            ((160, 120), (640, 360), .full, (160, 90)), ((100, 400), (640, 640), .full, (100, 100)),
            ((1, 1), (65_535, 16), .full, (1, 1)),
        ])
    func aspectFill(size: (Int, Int), box: (Int, Int), scale: DecodeScale, result: (Int, Int)) {
        let plan = plan(size, box, .aspectFill)
        #expect(plan.scale == scale && plan.width == result.0 && plan.height == result.1)
    }
}
