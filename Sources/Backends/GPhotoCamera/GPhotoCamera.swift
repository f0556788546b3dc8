public import CameraKit
public import CaptureModel
import PosixSupport
import RigConfiguration

/// A camera that libgphoto2 drives: nearly every DSLR and mirrorless camera. It has no stream of frames; ``CameraStream/stills`` takes its
/// pictures.
///
/// libgphoto2 runs in a helper program for each camera, `caprig-gphoto`, while the stream does. The program is started and read on a
/// separate thread, named `cam-` and the camera's name. ``StillStamps`` says what its stamps mean.
public final class GPhotoCamera: Camera {
    private let name: String
    private let configuration: GPhotoCameraConfiguration
    private let correction: StampCorrection
    private let thread: DeviceThread
    /// Until when a picture may come that an earlier stream has asked for.
    private let overdueUntil = Locked<LocalTime?>(nil)

    static let installing =
        "build caprig-gphoto from the sources with `deploy/gphoto/build`, which needs Debian's libgphoto2-dev, and put it into the agent's PATH"

    /// - Parameter stamps: What was measured of the camera's pictures.
    public init(name: String, configuration: GPhotoCameraConfiguration, stamps: StampCorrection = StampCorrection()) {
        self.name = name
        self.configuration = configuration
        correction = stamps
        thread = DeviceThread(name: "cam-\(name)", device: name, signals: .blocked)
    }

    public var identityDescription: String? { "gphoto \(configuration.identity)" }

    public var stamps: CameraStamps? {
        CameraStamps(configuration.trigger == .wired ? .announcement : .request, correction: correction)
    }

    /// Opens the camera and sets it, and returns when it can take pictures.
    ///
    /// The camera is free again when the stream ends: by ``CameraStream/stop()``, by releasing the stream, or by a failure.
    /// - Throws: ``CameraError``: `absent` if the camera or the helper program is missing; `busy` if another program has the camera;
    ///   `unsupportedControl` if a setting is refused; `unsupportedFormat`; `failed`.
    public func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        let stream: DeviceStream = try await thread.start(queueing: 1) {
            [self] (channel, running) throws(CameraError) in
            try runThread(request, clock, channel, running)
        }
        return stream
    }

    private func runThread(
        _ request: FormatRequest, _ clock: any TimeSource, _ channel: DeviceThread.Channel<CameraFrame>,
        _ running: (DeviceStream) -> Void
    ) throws(CameraError) {
        try request.require(
            configuration.format, framesPerSecond: 1 / configuration.secondsPerPicture, of: name,
            source: "it is configured to take", remedy: "`width`, `height` and `secondsPerPicture` of its source")
        let capture = try GPhotoCapture(
            device: name, configuration, correction, overdueUntil: overdueUntil.withLock { $0 },
            control: channel.control, clock: clock)
        defer {
            let until = capture.end()
            overdueUntil.withLock { $0 = until }
        }
        guard let hardware = try capture.start() else { return }
        running(DeviceStream(configuration.format, hardware, of: channel, stills: capture.stills))
        try capture.run()
    }

    /// Returns whether the helper program may be run. The camera is not asked.
    public func authorization() async -> AuthorizationStatus { access.status }

    public func authorizationRemedy() async -> String? { access.remedy }

    private var access: ProgramAccess {
        ProgramAccess(program: configuration.helper, of: name, installing: Self.installing)
    }

    /// Returns the configured size.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        DeviceCapabilities(only: configuration.format)
    }
}
