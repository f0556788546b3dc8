import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import TimeCode
import TurboJPEG

@testable import VirtualDevices

@Suite("Virtual camera: white balance")
struct VirtualWhiteBalanceTests {
    @Test("Scales red and blue against green by the temperature that is set", arguments: [2800, 4000, 5000, 7000])
    func temperature(_ kelvins: Int64) async throws {
        // Dark enough that no color saturates.
        var bench = try await VirtualBench {
            $0.number = 3
            $0.exposureMilliseconds = 4
        }
        let before = try #require(await bench.expose(4).last).sceneColor
        let request: [String: Int64] = ["white_balance_automatic": 0, "white_balance_temperature": kelvins]
        #expect(try await bench.stream.setControls(request) == request)
        // After so many frames, pattern and block are at the same place again.
        let frame = try #require(await bench.expose(416).last)
        let after = try frame.sceneColor
        let factor = Double(kelvins) / 5500
        #expect(abs(after.red / before.red / factor - 1) < 0.06, "\(before) \(after)")
        #expect(abs(after.green / before.green - 1) < 0.06)
        #expect(abs(after.blue / before.blue * factor - 1) < 0.06)
        #expect(try VirtualBench.code(frame).frameNumber == UInt32(frame.sequence))
        await bench.stream.stop()
    }

    @Test("The temperature of the scene's light gives the picture of automatic white balance, byte for byte")
    func neutral() async throws {
        var (manual, automatic) = (try await VirtualBench(), try await VirtualBench())
        let request: [String: Int64] = ["white_balance_automatic": 0, "white_balance_temperature": 5500]
        _ = try await manual.stream.setControls(request)
        let frames = (await manual.expose(3), await automatic.expose(3))
        #expect(frames.0.map(\.lease.bytes) == frames.1.map(\.lease.bytes))
        _ = try await manual.stream.setControls(["white_balance_temperature": 3000])
        _ = await manual.expose(1)
        let tinted = try #require(await manual.expose(1).first)
        _ = try await manual.stream.setControls(["white_balance_automatic": 1])
        _ = await automatic.expose(2)
        let restored = (await manual.expose(2).last, await automatic.expose(2).last)
        #expect(restored.0?.lease.bytes == restored.1?.lease.bytes)
        #expect(restored.0?.lease.bytes != tinted.lease.bytes)
        await manual.stream.stop()
        await automatic.stream.stop()
    }

    @Test(
        "Refuses a value that an automatic mode controls, and reports it as without effect",
        arguments: [
            ("white_balance_temperature", "white_balance_automatic", Int64(4000)),
            ("focus_absolute", "focus_automatic_continuous", 10),
        ])
    func dependent(_ name: String, _ mode: String, _ value: Int64) async throws {
        let bench = try await VirtualBench()
        func control() async throws -> DeviceControl {
            try #require(try await bench.stream.controls().first { $0.name == name })
        }
        #expect(try await control().isInactive)
        for request in [[name: value], [name: value, mode: 1]] {
            let error = await #expect(throws: CameraError.self) { try await bench.stream.setControls(request) }
            #expect(error?.code == .unsupportedControl && error?.reason.contains("\(mode) is 0") == true)
        }
        #expect(try await bench.stream.setControls([name: value, mode: 0]) == [name: value, mode: 0])
        let set = try await control()
        #expect(!set.isInactive && set.value == value)
        await bench.stream.stop()
    }

    @Test("The samples of a sensor's mosaic are not balanced")
    func mosaic() async throws {
        var pictures: [[UInt8]] = []
        for kelvins: Int64 in [5500, 2800] {
            let (camera, clock) = (VirtualBench.camera(), ManualTimeSource())
            let stream = try await camera.start(FormatRequest(pixelFormat: .rggb8), clock: clock)
            _ = try await stream.setControls(["white_balance_automatic": 0, "white_balance_temperature": kelvins])
            var iterator = stream.frames.makeAsyncIterator()
            var last: CameraFrame?
            for _ in 0..<3 {
                await clock.step()
                last = await iterator.next()
            }
            pictures.append(try #require(last).lease.bytes)
            await stream.stop()
        }
        #expect(pictures[0] == pictures[1])
    }

    @Test("A gray becomes what von Kries' factors make of it")
    func gray() {
        var (luma, cb, cr): ([UInt8], [UInt8], [UInt8]) = ([100, 100], [128], [128])
        WhiteBalance(temperature: 2750).apply(luma: &luma, cb: &cb, cr: &cr)
        let (y, b, r) = (Double(luma[0]), Double(cb[0]) - 128, Double(cr[0]) - 128)
        #expect(abs(y + 1.402 * r - 50) < 2)
        #expect(abs(y - 0.344136 * b - 0.714136 * r - 100) < 2)
        #expect(abs(y + 1.772 * b - 200) < 2)
        for extreme: Int64 in [.min, 0, .max] {
            WhiteBalance(temperature: extreme).apply(luma: &luma, cb: &cb, cr: &cr)
        }
    }
}

extension CameraFrame {
    /// Mean color of the scene below the time code in a picture of 120 rows.
    var sceneColor: SceneMean {
        get throws {
            var image = PlanarImage()
            try JPEGDecoder().decodePlanes(lease.bytes.span, into: &image)
            #expect(image.geometry.subsampling == .yuv422 && image.warning == nil)
            func mean(_ plane: Int) -> Double {
                let hidden = 96 * image.geometry.strides[plane]
                let samples = image.bytes[image.offsets[plane]..<image.offsets[plane + 1]].dropFirst(hidden)
                return samples.reduce(0) { $0 + Double($1) } / Double(samples.count)
            }
            let (luma, cb, cr) = (mean(0), mean(1) - 128, mean(2) - 128)
            return SceneMean(
                red: luma + 1.402 * cr, green: luma - 0.344136 * cb - 0.714136 * cr, blue: luma + 1.772 * cb)
        }
    }
}

/// The mean of a picture's part, 0 to 255.
struct SceneMean {
    var red: Double
    var green: Double
    var blue: Double

    /// Returns whether a person would see a difference.
    func differs(from other: SceneMean) -> Bool {
        max(abs(red - other.red), abs(green - other.green), abs(blue - other.blue)) > 10
    }
}
