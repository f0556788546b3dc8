public import CameraKit
public import CaptureModel
import ChildPrograms
import Glibc
import PosixSupport
public import RigConfiguration
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
    private let state = Mutex(State())

    private struct State {
        var isOpen = false
        /// The format of the last start.
        var format: VideoFormat?
    }

    /// Frames that wait for a consumer, as many as a V4L2 camera has buffers for.
    private static let depth = 4

    /// - Parameter stamps: What was measured of the program's times.
    public init(name: String, configuration: CommandCameraConfiguration, stamps: StampCorrection = StampCorrection()) {
        self.name = name
        self.configuration = configuration
        correction = stamps
    }

    public var identityDescription: String? { "command '\(configuration.run.first ?? "")'" }

    /// Runs the program and returns when its first picture is there.
    ///
    /// The camera is free again when the stream ends: by ``CameraStream/stop()``, by releasing the stream, or by a failure.
    /// - Throws: ``CameraError``: `absent` if the program is missing; `denied` if it may not be run; `failed` if it ends or writes no
    ///   picture within `startMilliseconds`; `unsupportedFormat` if its pictures are of another size; `busy`.
    public func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        try acquire()
        let result = await withCheckedContinuation { started in
            startThread(request, clock) { started.resume(returning: $0) }
        }
        return try result.get()
    }

    private func acquire() throws(CameraError) {
        let isFree = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        guard isFree else {
            throw CameraError(
                .busy, device: name, operation: "start", reason: "its program runs already; stop that stream first")
        }
    }

    private func release() { state.withLock { $0.isOpen = false } }

    private typealias Started = @Sendable (Result<CommandStream, CameraError>) -> Void

    /// Calls `started` exactly once: from the new thread, or at once if no thread can be created.
    private func startThread(_ request: FormatRequest, _ clock: any TimeSource, _ started: @escaping Started) {
        do throws(PosixError) {
            let control = try StreamControl()
            let thread = try NamedThread(name: "cam-\(name)", signals: .blocked) { [self] in
                runThread(request, clock, control, started)
            }
            control.adopt(thread)
        } catch {
            release()
            started(.failure(CameraError(.failed, device: name, operation: "start", reason: error.description)))
        }
    }

    private func runThread(
        _ request: FormatRequest, _ clock: any TimeSource, _ control: StreamControl, _ started: Started
    ) {
        let (frames, continuation) = AsyncStream.makeStream(
            of: CameraFrame.self, bufferingPolicy: .bufferingNewest(Self.depth))
        let end = capture(request, clock, control, continuation) { format in
            started(.success(CommandStream(format, configuration, frames: frames, control: control)))
        }
        // The program has ended here. The camera is released before the end is reported, so that a waiting caller can start it again at
        // once. `failure` is set before the frames end.
        release()
        switch end {
        case .stopped: control.finish(nil)
        case .failed(let error): control.finish(error)
        case .notStarted(let error): started(.failure(error))
        }
        continuation.finish()
    }

    /// How a camera's thread ended.
    private enum End {
        case notStarted(CameraError)
        case failed(CameraError)
        case stopped
    }

    private func capture(
        _ request: FormatRequest, _ clock: any TimeSource, _ control: StreamControl,
        _ frames: AsyncStream<CameraFrame>.Continuation, running: (VideoFormat) -> Void
    ) -> End {
        let capture: CommandCapture
        let format: VideoFormat
        do throws(CameraError) {
            capture = try CommandCapture(device: name, configuration, correction, control: control, clock: clock)
        } catch {
            return .notStarted(error)
        }
        defer { capture.end() }
        do throws(CameraError) {
            format = try started(capture, request)
            running(format)
        } catch {
            return .notStarted(error)
        }
        do throws(CameraError) {
            try capture.run(frames)
            return .stopped
        } catch {
            return .failed(error)
        }
    }

    private func started(_ capture: CommandCapture, _ request: FormatRequest) throws(CameraError) -> VideoFormat {
        guard let format = try capture.start() else {
            throw CameraError(
                .failed, device: name, operation: "start", reason: "it was stopped before its first picture")
        }
        state.withLock { $0.format = format }
        try request.require(format, configuration.framesPerSecond, of: name)
        return format
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

    /// Returns the size of the program's pictures. Unless it is known from the last start, runs the program until its first picture.
    /// - Throws: Like ``start(_:clock:)``.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        var format = state.withLock { $0.format }
        if format == nil {
            let stream = try await start(FormatRequest(), clock: SystemTimeSource())
            format = stream.format
            await stream.stop()
        }
        guard let format else { return DeviceCapabilities(formats: []) }
        let interval = format.frameIntervalNanoseconds
        let offer = FormatOffer(
            pixelFormat: .mjpeg, width: format.width, height: format.height,
            intervals: IntervalOffer(shortestNanoseconds: interval, longestNanoseconds: interval))
        return DeviceCapabilities(formats: [offer])
    }
}

extension FormatRequest {
    /// Throws if a program's pictures are not what is requested: nobody but the program decides about them.
    fileprivate func require(
        _ format: VideoFormat, _ rate: Double, of device: String
    ) throws(CameraError) {
        let isRate = framesPerSecond.map { abs($0 - rate) <= rate / 1000 } ?? true
        guard pixelFormat ?? .mjpeg == .mjpeg, width ?? format.width == format.width,
            height ?? format.height == format.height, isRate
        else {
            throw CameraError(
                .unsupportedFormat, device: device, operation: "start",
                reason:
                    "its program writes \(PixelFormat.mjpeg.rawValue) \(format.width)x\(format.height) at \(rate) frames "
                    + "per second, and nothing else; correct `format`, or the arguments of the program and `framesPerSecond`"
            )
        }
    }
}
