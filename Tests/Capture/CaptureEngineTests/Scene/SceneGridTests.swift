import CaptureTestSupport
import PosixSupport
import Testing
import TurboJPEG

@testable import CaptureEngine

@Suite struct SceneGridTests {
    /// A gray JPEG whose luma is a function of the place.
    private func jpeg(_ width: Int, _ height: Int, _ luma: (Int, Int) -> UInt8) throws -> [UInt8] {
        let pixels = (0..<width * height).map { luma($0 % width, $0 / width) }
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            pixels.span, as: .gray(bits: 8), width: width, height: height, quality: 95, into: &jpeg)
        return jpeg
    }

    @Test("The parts of a picture are mixed up, or have another luma than its pixels")
    func parts() async throws {
        let meter = SceneMeter(executor: try ThreadExecutor(name: "scene"))
        let jpeg = try jpeg(640, 480) { x, y in UInt8(10 + x / 160 * 20 + y / 160 * 80) }
        let grid = try #require(await meter.scene(of: jpeg))
        let expected = [10, 30, 50, 70, 90, 110, 130, 150, 170, 190, 210, 230]
        #expect(zip(grid.cells, expected).allSatisfy { abs($0 - Double($1)) < 2 }, "\(grid.cells)")
        #expect(abs(grid.mean - 120) < 2)
    }

    @Test("A picture of less pixels than there are parts, or one that is none, ends the program")
    func poor() async throws {
        let meter = SceneMeter(executor: try ThreadExecutor(name: "scene"))
        let tiny = try #require(await meter.scene(of: try jpeg(8, 8) { _, _ in 77 }))
        #expect(tiny.cells.count == 12 && tiny.cells.allSatisfy { abs($0 - 77) < 2 })
        #expect(await meter.scene(of: [0xFF, 0xD8, 1, 2, 3]) == nil)
        #expect(await meter.scene(of: []) == nil)
        #expect(SceneGrid(LumaImage()) == nil)
    }
}
