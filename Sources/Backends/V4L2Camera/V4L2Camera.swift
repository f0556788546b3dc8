public import CameraKit
public import CaptureModel
import PosixSupport
import Synchronization
import Video4Linux

/// A camera of the kernel's V4L2 interface, above all a USB webcam, in any of ``PixelFormat`` or a format that
/// libv4lconvert converts to one. Its driver may capture single-planar or multi-planar.
///
/// Opening, negotiating and streaming happen on a separate thread, named `cam-` and the camera's name.
/// ``StampCalibration`` defines how its stamps become mid-exposures.
public final class V4L2Camera: Camera {
    let name: String
    let identity: V4L2Identity
    let locator: V4L2Locator
    private let calibration: StampCalibration
    let driverFormat: FourCC?
    private let isOpen = OpenFlag()

    /// Number of frames that may wait for a slow consumer before the oldest is dropped.
    private static let waitingFrames = 4

    /// - Parameters:
    ///   - name: The name for the threads.
    ///   - identity: The device. It is looked up at every start, so that a re-plugged camera is found again.
    ///   - calibration: The measured properties of its time stamps.
    ///   - driverFormat: The fourcc of the only format to capture in, as the driver names it, for drivers with several
    ///     formats that give the requested pixel format: `NM12` and `NV12`, or two that are converted.
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

    /// Calls `started` exactly once: from the new thread, or at once if no thread can be created.
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
        // The device is closed here. The camera is released before the end is reported, so that a waiting caller can
        // start it again at once. `failure` is set before the frames end.
        isOpen.clear()
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

/// Whether a camera is open. Set by the first caller.
private final class OpenFlag: Sendable {
    private let isSet = Atomic(false)

    func set() -> Bool {
        isSet.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    func clear() {
        isSet.store(false, ordering: .releasing)
    }
}

extension V4L2Camera {
    public var identityDescription: String? { identity.description }

    /// Checks the permissions of the device node without opening it. Only a camera that is named by a bus other than
    /// USB is found by querying each node.
    public func authorization() async -> AuthorizationStatus {
        await access().status
    }

    public func authorizationRemedy() async -> String? {
        await access().remedy
    }

    public func usbPort() async -> USBPort? {
        let (locator, identity) = (locator, identity)
        return try? await BlockingCall.run(thread: "ask-\(name)") { locator.usbPort(of: identity) }
    }

    private func access() async -> NodeAccess {
        let (locator, identity) = (locator, identity)
        do throws(PosixError) {
            return try await BlockingCall.run(thread: "ask-\(name)") { locator.access(to: identity) }
        } catch {
            return NodeAccess(.notDetermined, remedy: error.description)
        }
    }

    /// Opens the device a second time if it streams, which V4L2 allows.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        let (locator, identity, driverFormat) = (locator, identity, driverFormat)
        let outcome: Result<DeviceCapabilities, CameraError>
        do throws(PosixError) {
            outcome = try await BlockingCall.run(thread: "ask-\(name)") {
                Result { () throws(CameraError) in try DeviceCapabilities(identity, driverFormat, locator) }
            }
        } catch {
            throw CameraError(VideoError(error, devicePath: identity.description), device: identity.description)
        }
        return try outcome.get()
    }
}

extension DeviceCapabilities {
    /// Finds, opens and queries a device. Blocks.
    fileprivate init(
        _ identity: V4L2Identity, _ driverFormat: FourCC?, _ locator: V4L2Locator
    ) throws(CameraError) {
        let path = try locator.path(of: identity)
        let device: VideoDevice
        do throws(VideoError) {
            device = try VideoDevice(path: path)
        } catch {
            throw CameraError(error, device: identity.description)
        }
        try V4L2Setup.requireCapture(device, identity.description)
        do throws(VideoError) {
            self.init(
                formats: try FormatOffer.all(of: device, only: driverFormat),
                controls: try DeviceControl.all(of: device))
        } catch {
            throw CameraError(error, device: identity.description)
        }
    }
}
