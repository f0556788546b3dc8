import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import TimeCode
import TurboJPEG

@testable import VirtualDevices

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
            frames += await takeWaiting()
        }
        return frames
    }

    /// The frames that wait.
    mutating func takeWaiting() async -> [CameraFrame] {
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
