public import CameraKit
public import CaptureModel
import PosixSupport
import Synchronization
import Video4Linux

/// A camera of the kernel's V4L2 interface, in any of ``PixelFormat`` or in what libv4lconvert makes one of: a USB webcam
/// above all. Its driver may capture single-planar or multi-planar.
///
/// Opening, negotiating and streaming happen on a thread of the camera's own, named `cam-` and its name.
/// ``StampCalibration`` says how its stamps become mid-exposures.
public final class V4L2Camera: Camera {
    let name: String
    let identity: V4L2Identity
    let locator: V4L2Locator
    private let calibration: StampCalibration
    let driverFormat: FourCC?
    private let isOpen = OpenFlag()

    /// Frames that may wait for a slow consumer before the oldest is dropped.
    private static let waitingFrames = 4

    /// - Parameters:
    ///   - name: Names the threads.
    ///   - identity: Which device; looked up anew at every start, so that a re-plugged camera is found again.
    ///   - calibration: What was measured of its time stamps.
    ///   - driverFormat: The fourcc of the only format to capture in, as the driver names it, where several of its formats
    ///     become the pixel format that is wished for: `NM12` and `NV12`, or two that are converted.
    public convenience init(
        name: String, identity: V4L2Identity, calibration: StampCalibration = .init(), driverFormat: String? = nil
    ) {
        self.init(
            name: name, identity: identity, calibration: calibration, driverFormat: driverFormat.map { FourCC($0) },
            locator: V4L2Locator())
    }

    init(
        name: String, identity: V4L2Identity, calibration: StampCalibration, driverFormat: FourCC? = nil,
        locator: V4L2Locator
    ) {
        self.name = name
        self.identity = identity
        self.calibration = calibration
        self.driverFormat = driverFormat
        self.locator = locator
    }

    public func start(
        _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        guard isOpen.set() else {
            throw CameraError(
                .busy, device: identity.description, operation: "start",
                reason: "this process is streaming from it already; stop that stream first")
        }
        let result = await withCheckedContinuation { started in
            startThread(request, clock) { started.resume(returning: $0) }
        }
        return try result.get()
    }

    private typealias Started = @Sendable (Result<V4L2CameraStream, CameraError>) -> Void

    /// Calls `started` exactly once: from the new thread, or at once where there is none to be had.
    private func startThread(_ request: FormatRequest, _ clock: any TimeSource, _ started: @escaping Started) {
        do throws(PosixError) {
            let control = try StreamControl()
            let thread = try NamedThread(name: "cam-\(name)") { [self] in
                runThread(request, clock, control, started)
            }
            control.adopt(thread)
        } catch {
            isOpen.clear()
            let failure = VideoError(error, devicePath: identity.description)
            started(.failure(CameraError(failure, device: identity.description)))
        }
    }

    private func runThread(
        _ request: FormatRequest, _ clock: any TimeSource, _ control: StreamControl, _ started: Started
    ) {
        let (frames, continuation) = AsyncStream.makeStream(
            of: CameraFrame.self, bufferingPolicy: .bufferingNewest(Self.waitingFrames))
        let end = stream(request, clock, control, continuation) { setup, controls in
            let stream = V4L2CameraStream(
                setup, name: identity.description, frames: frames, control: control, controlThread: controls)
            started(.success(stream))
        }
        // The device is closed here. The camera is free before anybody learns of the end, so that whoever waits for it
        // can start it again at once; and `failure` is set before the frames end.
        isOpen.clear()
        switch end {
        case .stopped: control.finish(nil)
        case .failed(let error): control.finish(error)
        case .notStarted(let error): started(.failure(error))
        }
        continuation.finish()
    }

    /// How a camera's thread came to its end.
    private enum End {
        case notStarted(CameraError)
        case failed(CameraError)
        case stopped
    }

    private func stream(
        _ request: FormatRequest, _ clock: any TimeSource, _ control: StreamControl,
        _ frames: AsyncStream<CameraFrame>.Continuation, running: (V4L2Setup, ControlThread) -> Void
    ) -> End {
        let capture: V4L2Capture
        do throws(CameraError) {
            let setup = try V4L2Setup(identity, request, driverFormat: driverFormat, locator: locator)
            capture = try open(setup, clock, control, frames)
            running(setup, capture.controls)
        } catch {
            return .notStarted(error)
        }
        defer { capture.end() }
        do throws(VideoError) {
            try capture.run(name: name)
            return .stopped
        } catch {
            return .failed(CameraError(error, device: identity.description))
        }
    }

    private func open(
        _ setup: V4L2Setup, _ clock: any TimeSource, _ control: StreamControl,
        _ frames: AsyncStream<CameraFrame>.Continuation
    ) throws(CameraError) -> V4L2Capture {
        do throws(VideoError) {
            return try V4L2Capture(setup, control: control, frames: frames, clock: clock, calibration: calibration)
        } catch {
            throw CameraError(error, device: identity.description)
        }
    }
}

/// Whether a camera is open; set by whoever comes first.
private final class OpenFlag: Sendable {
    private let isSet = Atomic(false)

    func set() -> Bool {
        isSet.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    func clear() {
        isSet.store(false, ordering: .releasing)
    }
}
