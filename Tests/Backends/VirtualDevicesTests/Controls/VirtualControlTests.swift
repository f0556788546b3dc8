import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import TimeCode
import TurboJPEG

@testable import VirtualDevices

@Suite("Virtual camera: controls")
struct VirtualControlTests {
    /// The next picture of a camera whose controls are set, and that of one that is configured so.
    private func pictures(
        _ values: [String: Int64], like configure: (inout VirtualCameraConfiguration) -> Void
    ) async throws -> (set: CameraFrame, configured: CameraFrame) {
        var (bench, reference) = (try await VirtualBench(), try await VirtualBench())
        #expect(try await bench.stream.setControls(values) == values)
        try reference.camera.reconfigure(configure)
        // One frame was planned before.
        let frames = (await bench.expose(2).last, await reference.expose(2).last)
        await bench.stream.stop()
        await reference.stream.stop()
        return (try #require(frames.0), try #require(frames.1))
    }

    @Test("Applies exposure, gain and flash as light would")
    func effects() async throws {
        let exposure = try await pictures(["exposure_time_absolute": 160]) { $0.exposureMilliseconds = 16 }
        #expect(exposure.set.lease.bytes == exposure.configured.lease.bytes)
        #expect(exposure.set.exposure == .milliseconds(16))
        let gain = try await pictures(["gain": 6]) { $0.gainDecibels = 6 }
        #expect(gain.set.lease.bytes == gain.configured.lease.bytes)
        let torch = try await pictures(["flash_led_mode": 2]) { $0.exposureMilliseconds = 12 }
        #expect(torch.set.lease.bytes == torch.configured.lease.bytes)
        #expect(torch.set.exposure == .milliseconds(8))
        let none = try await pictures(["flash_led_mode": 0, "gain": 0]) { _ in }
        #expect(none.set.lease.bytes == none.configured.lease.bytes)
        #expect(none.set.lease.bytes != torch.set.lease.bytes)
    }

    @Test("Compensates gain and flash in automatic exposure, and reports the exposure time")
    func automatic() async throws {
        let values: [String: Int64] = ["auto_exposure": 0, "gain": 20, "flash_led_mode": 2]
        let pictures = try await pictures(values) { _ in }
        #expect(pictures.set.lease.bytes == pictures.configured.lease.bytes)
        #expect(pictures.set.exposure.map { abs($0.seconds - 0.008 / 15) < 1e-6 } == true)
        let bench = try await VirtualBench()
        _ = try await bench.stream.setControls(values)
        let control = try #require(try await bench.stream.controls().first { $0.name == "exposure_time_absolute" })
        #expect(control.isInactive && control.value == 5, "8 ms / 10 / 1.5, in steps of 100 µs")
        await bench.stream.stop()
    }

    @Test(
        "A wrong request is taken, or half of it",
        arguments: [
            ["gain": 3, "no_such": 1], ["gain": 49], ["gain": Int64.min], ["auto_exposure": 2],
            ["flash_led_mode": 3], ["exposure_time_absolute": 0], ["auto_exposure": 0, "exposure_time_absolute": 100],
        ])
    func refusal(request: [String: Int64]) async throws {
        let bench = try await VirtualBench()
        let before = try await bench.stream.controls()
        let error = await #expect(throws: CameraError.self) { try await bench.stream.setControls(request) }
        #expect(error?.code == .unsupportedControl)
        #expect(error?.reason.contains("nothing was changed") == true)
        #expect(try await bench.stream.controls() == before)
        await bench.stream.stop()
    }

    @Test("Sets manual mode and exposure time together, and keeps them")
    func together() async throws {
        let camera = VirtualBench.camera()
        let first = try await VirtualBench(camera: camera, clock: ManualTimeSource())
        _ = try await first.stream.setControls(["auto_exposure": 0])
        let values: [String: Int64] = ["auto_exposure": 1, "exposure_time_absolute": 123]
        #expect(try await first.stream.setControls(values) == values)
        await first.stream.stop()
        let capabilities = try await camera.capabilities()
        #expect(capabilities.controls.first { $0.name == "exposure_time_absolute" }?.value == 123)
        #expect(capabilities.formats.map(\.pixelFormat) == [.mjpeg] + PixelFormat.allCases.filter(\.family.isMosaic))
    }

    @Test(
        "Keeps a value of 64 bits exactly", arguments: [9_007_199_254_740_993, -9_007_199_254_740_993, Int64.max, .min])
    func wide(value: Int64) async throws {
        let bench = try await VirtualBench()
        #expect(try await bench.stream.setControls(["integer_64_bits": value]) == ["integer_64_bits": value])
        let control = try #require(try await bench.stream.controls().first { $0.name == "integer_64_bits" })
        #expect(control.value == value)
        await bench.stream.stop()
    }

    @Test("Refuses controls through a stream that has stopped")
    func stopped() async throws {
        let bench = try await VirtualBench()
        await bench.stream.stop()
        let error = await #expect(throws: CameraError.self) { try await bench.stream.setControls(["gain": 1]) }
        #expect(error?.code == .failed)
    }

    @Test("Checks access without using a fault up")
    func authorization() async throws {
        let camera = VirtualBench.camera()
        #expect(await camera.authorization() == .authorized)
        try camera.faults.inject(VirtualFault(.denied, count: 1))
        for _ in 0..<3 { #expect(await camera.authorization() == .denied) }
        #expect(await camera.authorizationRemedy()?.contains("fault ends") == true)
        let error = await #expect(throws: CameraError.self) {
            try await camera.start(FormatRequest(), clock: ManualTimeSource())
        }
        #expect(error?.code == .denied)
        #expect(await camera.authorization() == .authorized, "the fault has struck once")
        try camera.faults.inject(VirtualFault(.unplugged))
        #expect(await camera.authorization() == .notDetermined)
        let absent = await #expect(throws: CameraError.self) { try await camera.capabilities() }
        #expect(absent?.code == .absent)
    }
}

/// A virtual camera on a clock that the test moves: 160 × 120 at 25 fps unless told otherwise.
struct VirtualBench {
    let clock: ManualTimeSource
    let camera: VirtualCamera
    let stream: VirtualCameraStream
    private var taken: UInt64 = 0

    init(_ configure: (inout VirtualCameraConfiguration) -> Void = { _ in }) async throws {
        try await self.init(camera: Self.camera(configure), clock: ManualTimeSource())
    }

    init(camera: VirtualCamera, clock: ManualTimeSource) async throws {
        self.clock = clock
        self.camera = camera
        stream = try #require(try await camera.start(FormatRequest(), clock: clock) as? VirtualCameraStream)
    }

    static func camera(_ configure: (inout VirtualCameraConfiguration) -> Void = { _ in }) -> VirtualCamera {
        var configuration = VirtualCameraConfiguration()
        (configuration.width, configuration.height, configuration.framesPerSecond) = (160, 120, 25)
        configure(&configuration)
        return VirtualCamera(name: "bench", configuration: configuration)
    }

    /// Lets the camera expose so many frames and returns those that came out.
    mutating func expose(_ count: Int) async -> [CameraFrame] {
        var frames: [CameraFrame] = []
        for _ in 0..<count {
            await clock.step()
            await clock.sleepers(atLeast: 1)
            frames += await removeWaiting()
        }
        return frames
    }

    /// The frames that wait.
    mutating func removeWaiting() async -> [CameraFrame] {
        var frames: [CameraFrame] = []
        var iterator = stream.frames.makeAsyncIterator()
        while taken + stream.losses.droppedByNode < stream.report.handedOn, let frame = await iterator.next() {
            frames.append(frame)
            taken += 1
        }
        return frames
    }

    /// Lets the camera expose a frame that ends the stream, and returns what still came out.
    mutating func exposeToTheEnd() async -> [CameraFrame] {
        await clock.step()
        var frames: [CameraFrame] = []
        for await frame in stream.frames { frames.append(frame) }
        return frames
    }

    /// The time code in the pixels of a frame.
    static func code(_ frame: CameraFrame) throws -> TimeCode {
        try code(frame.lease.bytes)
    }

    static func code(_ jpeg: [UInt8], scale: DecodeScale = .full) throws -> TimeCode {
        let image = try luma(jpeg, scale: scale)
        return try TimeCode.decode(
            luma: image.bytes.span, width: image.width, height: image.height, stride: image.width)
    }

    /// The decoded brightness; a damaged image is a failure.
    static func luma(_ jpeg: [UInt8], scale: DecodeScale = .full) throws -> LumaImage {
        var image = LumaImage()
        try JPEGDecoder(maximumPixelCount: 300_000_000).decodeLuma(jpeg.span, scale: scale, into: &image)
        #expect(image.warning == nil)
        return image
    }
}
