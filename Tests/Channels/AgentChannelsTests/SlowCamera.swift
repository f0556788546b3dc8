import CameraKit
import CaptureModel
import CaptureTestSupport
import VirtualDevices

/// A virtual camera that answers no question about its controls until it is let; its frames go on.
final class SlowCamera: Camera {
    let isAnswering = Observed(false)
    /// Questions asked so far.
    let asked = Observed(0)
    private let camera: VirtualCamera

    init(_ camera: VirtualCamera) {
        self.camera = camera
    }

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        SlowStream(camera: self, stream: try await camera.start(request, clock: clock))
    }

    func authorization() async -> AuthorizationStatus { await camera.authorization() }
    func capabilities() async throws(CameraError) -> DeviceCapabilities { try await camera.capabilities() }
}

private struct SlowStream: CameraStream {
    let camera: SlowCamera
    let stream: any CameraStream

    var format: VideoFormat { stream.format }
    var sampleRange: SampleRange { stream.sampleRange }
    var hardware: CameraHardware { stream.hardware }
    var frames: AsyncStream<CameraFrame> { stream.frames }
    var losses: FrameCounters { stream.losses }
    var failure: CameraError? { stream.failure }

    func controls() async throws(CameraError) -> [DeviceControl] {
        camera.asked.change { $0 += 1 }
        await camera.isAnswering.wait { $0 }
        return try await stream.controls()
    }

    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        try await stream.setControls(values)
    }

    func stop() async { await stream.stop() }
}
