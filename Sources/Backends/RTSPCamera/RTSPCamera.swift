public import CameraKit
public import CaptureModel
import Synchronization
import SystemClock

/// A network camera that speaks RTSP. Its pictures are decoded, unless they are JPEG.
///
/// Connected to while it streams. Network and decoder run on a separate thread, named `cam-` and the camera's name. ``RTSPStamps`` says what
/// its stamps mean.
public final class RTSPCamera: Camera {
    private let name: String
    private let configuration: RTSPCameraConfiguration
    private let correction: StampCorrection
    private let thread: DeviceThread
    /// The format of the last start.
    private let lastFormat = Mutex<VideoFormat?>(nil)

    /// Frames that wait for a consumer, as many as a V4L2 camera has buffers for.
    private static let depth = 4

    /// - Parameter stamps: What was measured of the camera's latency.
    public init(name: String, configuration: RTSPCameraConfiguration, stamps: StampCorrection = StampCorrection()) {
        self.name = name
        self.configuration = configuration
        correction = stamps
        thread = DeviceThread(name: "cam-\(name)", device: name)
    }

    public var stamps: CameraStamps? { CameraStamps(.cameraClock, correction: correction) }

    public var identityDescription: String? { "rtsp '\(configuration.url.name)'" }

    /// Connects, and returns when the first picture is there.
    ///
    /// The camera is free again when the stream ends: by ``CameraStream/stop()``, by releasing the stream, or by a failure.
    /// - Throws: ``CameraError``: `absent` if nobody answers; `denied` if the camera refuses the credentials, or their file may not be read;
    ///   `failed` if no picture comes within `startMilliseconds`; `unsupportedFormat` if its pictures are of another size; `busy`.
    public func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        let stream: DeviceStream = try await thread.start(queueing: Self.depth) {
            [self] (channel, running) throws(CameraError) in
            try runThread(request, clock, channel, running)
        }
        return stream
    }

    private func runThread(
        _ request: FormatRequest, _ clock: any TimeSource, _ channel: DeviceThread.Channel<CameraFrame>,
        _ running: (DeviceStream) -> Void
    ) throws(CameraError) {
        let capture = try RTSPCapture(
            device: name, configuration, correction, control: channel.control, clock: clock)
        guard let (format, range) = try capture.start() else { return }
        lastFormat.withLock { $0 = format }
        try request.require(
            format, framesPerSecond: configuration.arrival.framesPerSecond, of: name, source: "the camera sends",
            remedy: "the camera's own settings and `framesPerSecond`")
        let hardware = CameraHardware(busInformation: "rtsp:\(configuration.url.host)")
        running(DeviceStream(format, hardware, of: channel, sampleRange: range))
        try capture.run(channel.queue)
    }

    /// Returns whether the file of the credentials may be read. The camera is not asked.
    public func authorization() async -> AuthorizationStatus { obstacle == nil ? .authorized : .denied }

    public func authorizationRemedy() async -> String? { obstacle?.reason }

    private var obstacle: CameraError? {
        do throws(CameraError) {
            _ = try configuration.login(of: name)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the size of the camera's pictures. Unless it is known from the last start, connects until the first picture.
    /// - Throws: Like ``start(_:clock:)``.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        if let format = lastFormat.withLock({ $0 }) { return DeviceCapabilities(only: format) }
        let stream = try await start(FormatRequest(), clock: SystemTimeSource())
        await stream.stop()
        return DeviceCapabilities(only: stream.format)
    }
}
