public import CameraKit
public import CaptureModel
import PosixSupport
import Video4Linux

/// A camera of the kernel's V4L2 interface, above all a USB webcam, in any of ``PixelFormat`` or a format that
/// libv4lconvert converts to one. Its driver may capture single-planar or multi-planar.
///
/// Opening, negotiating and streaming happen on a separate thread, named `cam-` and the camera's name.
/// ``StampRule`` defines how its stamps become mid-exposures.
public final class V4L2Camera: Camera {
    let name: String
    let identity: V4L2Identity
    let locator: V4L2Locator
    private let correction: StampCorrection
    private let usesCameraClock: Bool
    let driverFormat: FourCC?
    private let thread: DeviceThread
    /// What the newest frame's stamp was.
    private let origin = Locked(StampOrigin.driver)

    /// Number of frames that may wait for a slow consumer before the oldest is dropped.
    private static let waitingFrames = 4

    /// - Parameters:
    ///   - name: The name for the threads.
    ///   - identity: The device. It is looked up at every start, so that a re-plugged camera is found again.
    ///   - correction: What was measured of its stamps.
    ///   - cameraClock: Whether the clock of a USB camera stamps its frames, as far as ``UVCClock`` trusts it.
    ///   - driverFormat: The fourcc of the only format to capture in, as the driver names it, for drivers with several
    ///     formats that give the requested pixel format: `NM12` and `NV12`, or two that are converted.
    public convenience init(
        name: String, identity: V4L2Identity, correction: StampCorrection = .init(), cameraClock: Bool = false,
        driverFormat: String? = nil
    ) {
        self.init(
            name: name, identity: identity, correction: correction, cameraClock: cameraClock,
            driverFormat: driverFormat.map { FourCC($0) }, locator: V4L2Locator())
    }

    init(
        name: String, identity: V4L2Identity, correction: StampCorrection, cameraClock: Bool = false,
        driverFormat: FourCC? = nil, locator: V4L2Locator
    ) {
        self.name = name
        self.identity = identity
        self.correction = correction
        usesCameraClock = cameraClock
        self.driverFormat = driverFormat
        self.locator = locator
        thread = DeviceThread(name: "cam-\(name)", device: identity.description)
    }

    public func start(
        _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        let stream: V4L2CameraStream = try await thread.start(queueing: Self.waitingFrames) {
            [self] (channel, running) throws(CameraError) in
            try runThread(request, clock, channel, running)
        }
        return stream
    }

    private func runThread(
        _ request: FormatRequest, _ clock: any TimeSource, _ channel: DeviceThread.Channel<CameraFrame>,
        _ running: (V4L2CameraStream) -> Void
    ) throws(CameraError) {
        let setup = try V4L2Setup(identity, request, driverFormat: driverFormat, locator: locator)
        let capture = try open(setup, clock, channel)
        defer { capture.end() }
        // A device that does not say how long its frames last can still be restarted.
        let blanking = try? FrameBlanking(of: setup.device, setup.format)
        running(
            V4L2CameraStream(
                setup, name: identity.description, frames: channel.elements, control: channel.control,
                controlThread: capture.controls, blanking: blanking, usesCameraClock: usesCameraClock,
                clock: clock))
        do throws(VideoError) {
            try capture.run(name: name)
        } catch {
            throw CameraError(error, device: identity.description)
        }
    }

    private func open(
        _ setup: V4L2Setup, _ clock: any TimeSource, _ channel: DeviceThread.Channel<CameraFrame>
    ) throws(CameraError) -> V4L2Capture {
        let cameraStamps = usesCameraClock ? CameraStampReader(setup, device: identity.description, locator) : nil
        do throws(VideoError) {
            return try V4L2Capture(
                setup, control: channel.control, frames: channel.queue, clock: clock, correction: correction,
                cameraStamps: cameraStamps, origin: origin)
        } catch {
            throw CameraError(error, device: identity.description)
        }
    }
}

extension V4L2Camera {
    public var identityDescription: String? { identity.description }

    /// The correction as far as it holds for the newest frame's stamp. Before the first frame it is not known which that will be with the
    /// camera's clock, and the correction is given as it is configured.
    public var stamps: CameraStamps? {
        let newest = origin.withLock { $0 }
        let isKnown = newest != .driver || !usesCameraClock
        return CameraStamps(newest, correction: isKnown ? correction.part(for: newest) : correction)
    }

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
