import CameraKit
import CaptureModel

/// A running virtual camera.
final class VirtualCameraStream: CameraStream {
    let format: VideoFormat
    let hardware: CameraHardware
    let frames: AsyncStream<CameraFrame>
    let report: StreamReport
    private let device: VirtualDevice
    private let exposing: Task<Void, Never>

    /// Frames that wait for a consumer, as many as a V4L2 camera has buffers for.
    private static let depth = 4

    init(_ device: VirtualDevice, _ agreed: VirtualFormat, opened: LocalTime, clock: any TimeSource) {
        self.device = device
        format = agreed.video
        hardware = CameraHardware(device)
        let (frames, continuation) = AsyncStream.makeStream(
            of: CameraFrame.self, bufferingPolicy: .bufferingNewest(Self.depth))
        let report = StreamReport()
        self.frames = frames
        self.report = report
        // Unstructured, because the stream outlives the call that starts it; it ends with `stop()` or with this object.
        exposing = Task {
            let loop = VirtualStreamLoop(device, agreed, clock: clock, report: report, frames: continuation)
            await loop.run(opened: opened)
        }
    }

    deinit {
        exposing.cancel()
    }

    var losses: FrameCounters { report.losses.counters }

    var failure: CameraError? { report.failure }

    func controls() async throws(CameraError) -> [DeviceControl] {
        try requireRunning()
        return device.controls
    }

    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        try requireRunning()
        return try device.setControls(values)
    }

    private func requireRunning() throws(CameraError) {
        if let failure { throw failure }
        guard exposing.isCancelled else { return }
        throw device.error(.failed, "ask for controls", "the stream has been stopped; start the camera first")
    }

    func stop() async {
        exposing.cancel()
        await exposing.value
    }
}

extension CameraHardware {
    /// What a virtual camera says it is.
    init(_ device: VirtualDevice) {
        let configuration = device.configuration
        let number = String(configuration.number)
        let serial = configuration.serial ?? "V" + String(repeating: "0", count: 5 - number.count) + number
        self.init(
            make: configuration.make, model: configuration.model, serial: serial,
            busInformation: "virtual:\(device.name)")
    }
}
