public import CameraKit
public import CaptureModel
import ChildPrograms
import Glibc
import PosixSupport
import Synchronization
import SystemClock

/// A camera that is a program's output: JPEG images, one after another or as the parts of a multipart body.
///
/// The program runs while the stream does. It is started and read on a separate thread, named `cam-` and the camera's name. A stop asks it
/// to end, and kills it and what it has started after two seconds. ``CommandStamps`` says what its stamps mean.
public final class CommandCamera: Camera {
    private let name: String
    private let configuration: CommandCameraConfiguration
    private let correction: StampCorrection
    private let thread: DeviceThread
    /// What the program was capable of at the last start.
    private let known = Mutex<DeviceCapabilities?>(nil)

    /// Frames that wait for a consumer, as many as a V4L2 camera has buffers for.
    private static let depth = 4

    /// - Parameter stamps: What was measured of the program's times.
    public init(name: String, configuration: CommandCameraConfiguration, stamps: StampCorrection = StampCorrection()) {
        self.name = name
        self.configuration = configuration
        correction = stamps
        thread = DeviceThread(name: "cam-\(name)", device: name, signals: .blocked)
    }

    public var stamps: CameraStamps? {
        CameraStamps(configuration.times == nil ? .arrival : .program, correction: correction)
    }

    public var identityDescription: String? { "command '\(configuration.run.first ?? "")'" }

    /// Runs the program and returns when its first picture is there.
    ///
    /// The camera is free again when the stream ends: by ``CameraStream/stop()``, by releasing the stream, or by a failure.
    /// - Throws: ``CameraError``: `absent` if the program is missing; `denied` if it may not be run; `failed` if it ends or writes no
    ///   picture within `startMilliseconds`; `unsupportedFormat` if its pictures are of another size; `busy`.
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
        let capture = try CommandCapture(
            device: name, configuration, correction, control: channel.control, clock: clock)
        defer { capture.end() }
        guard let format = try capture.start() else { return }
        var capabilities = DeviceCapabilities(only: format)
        capabilities.controls = capture.controls?.told ?? []
        known.withLock { [capabilities] in $0 = capabilities }
        try request.require(
            format, framesPerSecond: configuration.arrival.framesPerSecond, of: name, source: "its program writes",
            remedy: "the arguments of the program and `framesPerSecond`")
        let hardware = CameraHardware(busInformation: "command:\(configuration.run.first ?? "")")
        // What a program tells of a picture is that picture's.
        running(
            DeviceStream(
                format, hardware, of: channel, statesFrameValues: configuration.times != nil, controls: capture.controls
            ))
        try capture.run(channel.queue)
    }

    /// Returns whether the program is there and may be run. Nothing is run.
    public func authorization() async -> AuthorizationStatus {
        switch obstacle?.code {
        case nil: .authorized
        case ENOENT: .notDetermined
        default: .denied
        }
    }

    public func authorizationRemedy() async -> String? {
        obstacle.map { CameraError(running: $0, name).reason }
    }

    /// Why the program cannot be run; nil if it can.
    private var obstacle: PosixError? {
        do throws(PosixError) {
            _ = try ProgramPath.find(configuration.run.first ?? "")
            return nil
        } catch {
            return error
        }
    }

    /// Returns the size of the program's pictures, and its controls. Unless they are known from the last start, runs the program until its
    /// first picture.
    /// - Throws: Like ``start(_:clock:)``.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        if let known = known.withLock({ $0 }) { return known }
        let stream = try await start(FormatRequest(), clock: SystemTimeSource())
        let controls = try await stream.controls()
        await stream.stop()
        var capabilities = DeviceCapabilities(only: stream.format)
        capabilities.controls = controls
        return capabilities
    }
}
