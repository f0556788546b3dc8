import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import TimeCode
import TurboJPEG

@testable import VirtualDevices

@Suite("Virtual camera: pictures")
struct VirtualPictureTests {
    struct Size: Sendable, CustomTestStringConvertible {
        let width: Int
        let height: Int
        var testDescription: String { "\(width)x\(height)" }
    }

    private static let sizes = [
        (144, 88), (160, 120), (320, 240), (641, 361), (640, 480), (848, 480), (1001, 99), (1280, 720), (1366, 768),
        (1920, 1080), (2592, 1944), (3840, 2160),
    ].map(Size.init)

    private func scene(_ size: Size, quality: Int = 85, camera: UInt16 = 1) throws -> VirtualScene {
        var configuration = VirtualCameraConfiguration()
        configuration.number = camera
        let layout = try TimeCodeLayout(width: size.width, height: size.height)
        return try VirtualScene(layout, quality: quality, camera: camera, noise: configuration.noise)
    }

    private func code(_ frame: UInt32, camera: UInt16 = 1) -> TimeCode {
        TimeCode(
            realtimeNanoseconds: 1_789_000_123_456_789_012 + Int64(frame) * 33_333_333, frameNumber: frame,
            cameraNumber: camera)
    }

    @Test("Draws intact frames of every size with a readable time code", arguments: sizes)
    func everySize(size: Size) throws {
        var scene = try scene(size)
        for frame: UInt32 in [0, 1, 1000, .max] {
            let jpeg = try scene.picture(code(frame), brightness: 1)
            let header = try JPEGDecoder().verify(jpeg.span)
            #expect(header.width == size.width && header.height == size.height && header.subsampling == .yuv422)
            #expect(try VirtualBench.code(jpeg) == code(frame))
        }
    }

    @Test(
        "The time code does not survive quality 50 and half size",
        arguments: [Size(width: 640, height: 360), Size(width: 1280, height: 720)])
    func halfSize(size: Size) throws {
        var scene = try scene(size, quality: 50)
        let jpeg = try scene.picture(code(77), brightness: 1)
        #expect(try VirtualBench.code(jpeg, scale: .half) == code(77))
    }

    @Test(
        "Other programs find fault with a frame",
        .enabled(if: ExternalTool.isExpected("jpeginfo") && ExternalTool.isExpected("djpeg")),
        arguments: [Size(width: 641, height: 361), Size(width: 1280, height: 720)])
    func strictReaders(size: Size) throws {
        var scene = try scene(size)
        let folder = try TemporaryFolder()
        let file = try folder.write(scene.picture(code(3), brightness: 1), as: "frame.jpg")
        let info = try ExternalTool.run("jpeginfo", "-c", file)
        #expect(info.status == 0 && info.output.contains(" OK "), "\(info.output)")
        let decoded = try ExternalTool.run("djpeg", "-strict", "-outfile", folder.path + "/frame.ppm", file)
        #expect(decoded.status == 0 && decoded.output.isEmpty, "\(decoded.output)")
    }

    @Test(
        "A frame put together from tiles differs from the same picture encoded in one piece",
        arguments: [0, 1, 29, 1234])
    func sameAsEncodedWhole(frame: Int) throws {
        let size = Size(width: 1280, height: 720)
        var scene = try scene(size)
        let tiled = try VirtualBench.luma(scene.picture(code(UInt32(frame)), brightness: 1))
        let whole = try VirtualBench.luma(encodedWhole(size, frame: frame))
        #expect(tiled.bytes == whole.bytes)
    }

    /// The picture of a frame drawn into whole planes and encoded by one call.
    private func encodedWhole(_ size: Size, frame: Int) throws -> [UInt8] {
        let layout = try TimeCodeLayout(width: size.width, height: size.height)
        let grid = TileGrid(layout)
        let texture = SceneTexture(
            tileWidth: grid.width, color: SceneColor(camera: 1), light: SceneLight(),
            noise: VirtualCameraConfiguration().noise)
        let block = SceneBlock(frame: UInt64(frame), grid: grid)
        let plain = SceneTiles.block(grid, SceneColor(camera: 1), SceneLight())
        var planes = TilePixels()
        for row in 0..<grid.rows {
            let line = texture.tile(x: 0, phase: (frame + row) % SceneTexture.phases)
            planes.luma += line.luma
            planes.cb += line.cb
            planes.cr += line.cr
        }
        for y in 0..<size.height where block.rows.contains(y / 8) {
            for x in block.column * grid.tileWidth..<(block.column + 1) * grid.tileWidth {
                planes.luma[y * size.width + x] = plain.luma[0]
            }
        }
        // The card lies on the four tiles in the middle, before the block.
        for y in 240..<480 {
            for x in 320..<960 {
                planes.luma[y * size.width + x] = 118
                planes.cb[(y * size.width + x) / 2] = 128
                planes.cr[(y * size.width + x) / 2] = 128
            }
        }
        for y in 0..<layout.codeHeight {
            for x in 0..<grid.tileWidth { planes.luma[y * size.width + x] = TimeCodeLayout.black }
        }
        try layout.draw(code(UInt32(frame)), into: &planes.luma, stride: size.width)
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            PlaneGeometry(width: size.width, height: size.height, subsampling: .yuv422), y: planes.luma.span,
            cb: planes.cb.span, cr: planes.cr.span, quality: 85, into: &jpeg)
        return jpeg
    }

    @Test("Moves the scene")
    func sceneMoves() throws {
        let size = Size(width: 1280, height: 720)
        var scene = try scene(size)
        let images = try (0..<4).map { try VirtualBench.luma(scene.picture(code($0), brightness: 1)) }
        for (earlier, later) in zip(images, images.dropFirst()) {
            // Below code and card, every row moves by a step to the left; the lowest rows are out of the block's reach.
            for y in stride(from: 500, to: size.height, by: 40) {
                let row = y * size.width
                #expect(earlier.bytes[row + 16..<row + 1280].elementsEqual(later.bytes[row..<row + 1264]))
                #expect(!earlier.bytes[row..<row + 1280].elementsEqual(later.bytes[row..<row + 1280]))
            }
        }
    }

    @Test(
        "A gray card stands still in the middle third, equal for all cameras",
        arguments: [(640, 480), (641, 361), (1280, 720), (3840, 2160)].map(Size.init))
    func cardStandsStill(size: Size) throws {
        for camera: UInt16 in [1, 2] {
            var scene = try scene(size, camera: camera)
            for frame: UInt32 in [0, 1, 40, 77] {
                let luma = try VirtualBench.luma(scene.picture(code(frame), brightness: 1))
                var middle: [UInt8] = []
                for y in size.height / 3..<2 * size.height / 3 {
                    let row = y * luma.width
                    middle += luma.bytes[row + size.width / 3..<row + 2 * size.width / 3]
                }
                let (darkest, brightest) = (middle.min() ?? 0, middle.max() ?? 255)
                #expect(darkest >= 117 && brightest <= 119, "camera \(camera), frame \(frame)")
            }
        }
    }

    @Test("Draws the same in each run, and differently for each camera")
    func deterministic() throws {
        let size = Size(width: 640, height: 360)
        var (first, second, other) = (try scene(size), try scene(size), try scene(size, camera: 2))
        for frame: UInt32 in 0..<70 where frame % 7 != 3 {
            _ = try second.picture(code(frame &+ 9), brightness: 0.5)
            let picture = try first.picture(code(frame), brightness: 1)
            #expect(try second.picture(code(frame), brightness: 1) == picture)
            #expect(try other.picture(code(frame), brightness: 1) != picture)
        }
    }

    @Test("Applies exposure and gain, and keeps the time code readable")
    func brightness() async throws {
        var bench = try await VirtualBench()
        var means: [Double] = []
        for (exposure, gain) in [(2.0, 0.0), (4, 0), (8, 0), (8, 6)] {
            try bench.camera.reconfigure {
                $0.exposureMilliseconds = exposure
                $0.gainDecibels = gain
            }
            let frame = try #require(await bench.expose(2).last)
            #expect(frame.exposure == .milliseconds(exposure))
            #expect(try VirtualBench.code(frame).frameNumber == UInt32(frame.sequence))
            let image = try VirtualBench.luma(frame.lease.bytes)
            let scene = image.bytes[(96 * image.width)...]
            means.append(scene.reduce(0) { $0 + Double($1) } / Double(scene.count))
        }
        #expect(zip(means, means.dropFirst()).allSatisfy { $0 + 10 < $1 })
        await bench.stream.stop()
    }
}
