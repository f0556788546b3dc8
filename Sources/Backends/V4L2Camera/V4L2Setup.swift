public import CameraKit
public import CaptureModel
import Glibc
public import PosixSupport
import Video4Linux

/// An open V4L2 device with its format set, ready to create buffers.
struct V4L2Setup: Sendable {
    var device: VideoDevice
    /// The driver's format, and the processing of its frames.
    var source: DriverFormat
    var layout: PixelLayout
    /// The consumers' format.
    var format: VideoFormat
    var sampleRange: SampleRange
    var hardware: CameraHardware

    /// Finds, opens and configures the device. Blocks; for the camera's own thread.
    /// - Parameter driverFormat: The only driver format to choose; nil for any.
    init(
        _ identity: V4L2Identity, _ request: FormatRequest, driverFormat: FourCC?, locator: V4L2Locator
    ) throws(CameraError) {
        let name = identity.description
        let path = try locator.path(of: identity)
        do throws(VideoError) {
            device = try VideoDevice(path: path)
        } catch {
            throw CameraError(error, device: name)
        }
        try Self.requireCapture(device, name)
        let choice = try Self.choose(device, request, driverFormat, name)
        source = choice.source
        layout = try Self.setFormat(device, choice, name)
        sampleRange = source.range(layout.range)
        let interval = try Self.setInterval(device, choice, request, name)
        format = VideoFormat(
            pixelFormat: choice.source.pixelFormat, width: Int(layout.width), height: Int(layout.height),
            frameInterval: .nanoseconds(interval))
        let node = SystemFolder.resolved(path)?.split(separator: "/").last.map(String.init) ?? ""
        let usb = USBDescription(ofNode: node, systemFolder: locator.systemFolder)
        hardware = CameraHardware(
            make: usb?.manufacturer, model: device.capabilities.card, serial: usb?.serial,
            busInformation: device.capabilities.busInformation)
    }

    static func requireCapture(_ device: VideoDevice, _ name: String) throws(CameraError) {
        let capabilities = device.capabilities
        if capabilities.capturesVideo, capabilities.streams { return }
        throw CameraError(
            .failed, device: name, operation: "VIDIOC_QUERYCAP",
            reason:
                "this node of \(capabilities.card) does not capture video (a metadata node?); use another of its nodes")
    }

    /// Returns the device's offers as reported by its driver.
    /// - Parameter driverFormat: The only format to query; nil for all.
    static func offers(
        _ device: VideoDevice, only driverFormat: FourCC?
    ) throws(VideoError) -> [FormatChoice.Offer] {
        let descriptions = try device.formats().filter { driverFormat ?? $0.format == $0.format }
        return try descriptions.map { description throws(VideoError) in
            FormatChoice.Offer(format: description.format, sizes: try device.frameSizes(of: description.format))
        }
    }

    private static func choose(
        _ device: VideoDevice, _ request: FormatRequest, _ driverFormat: FourCC?, _ name: String
    ) throws(CameraError) -> FormatChoice {
        do {
            return try FormatChoice.choose(request, from: offers(device, only: driverFormat))
        } catch let error as VideoError {
            throw CameraError(error, device: name)
        } catch {
            throw CameraError(.unsupportedFormat, device: name, operation: "choose a format", reason: "\(error)")
        }
    }

    private static func setFormat(
        _ device: VideoDevice, _ choice: FormatChoice, _ name: String
    ) throws(CameraError) -> PixelLayout {
        let layout: PixelLayout
        do throws(VideoError) {
            layout = try device.setFormat(choice.source.fourcc, width: choice.width, height: choice.height)
        } catch {
            throw CameraError(error, device: name)
        }
        let fourcc = choice.source.fourcc
        let isAsAsked = layout.format == fourcc && layout.width == choice.width && layout.height == choice.height
        guard isAsAsked, layout.isWholePicture else {
            throw CameraError(
                .unsupportedFormat, device: name, operation: "VIDIOC_S_FMT",
                reason: "asked for \(fourcc) \(choice.width)x\(choice.height), the driver answered "
                    + "\(layout.format) \(layout.width)x\(layout.height)\(layout.isWholePicture ? "" : " in fields")")
        }
        return layout
    }

    /// Sets the rate and returns the nanoseconds per frame.
    private static func setInterval(
        _ device: VideoDevice, _ choice: FormatChoice, _ request: FormatRequest, _ name: String
    ) throws(CameraError) -> Int64 {
        let offers: [FrameIntervals]
        let agreed: Int64?
        do throws(VideoError) {
            offers = try device.frameIntervals(of: choice.source.fourcc, width: choice.width, height: choice.height)
            agreed = try interval(device, request.framesPerSecond, offers)
        } catch {
            throw CameraError(error, device: name)
        }
        guard let rate = request.framesPerSecond, rate.isFinite, rate > 0 else { return agreed ?? 33_333_333 }
        let nominal = agreed ?? Int64(clampingRounded: 1_000_000_000 / rate)
        guard FrameIntervalChoice.meets(nominal, framesPerSecond: rate) else {
            throw CameraError(
                .unsupportedFormat, device: name, operation: "VIDIOC_S_PARM",
                reason: "the camera cannot deliver \(rate) frames per second in this format; "
                    + "nearest is \(FrameIntervalChoice.rateText(nominal))")
        }
        return nominal
    }

    /// Returns nil if the driver does not support rates: it lacks the ioctls or returns an invalid fraction.
    private static func interval(
        _ device: VideoDevice, _ rate: Double?, _ offers: [FrameIntervals]
    ) throws(VideoError) -> Int64? {
        do throws(VideoError) {
            if let wish = FrameIntervalChoice.interval(framesPerSecond: rate, from: offers) {
                return try device.setFrameInterval(wish).nanoseconds
            }
            return try device.frameInterval().nanoseconds
        } catch {
            guard error.errorNumber == ENOTTY || error.errorNumber == EINVAL else { throw error }
            return nil
        }
    }
}

/// Cameras of the kernel's V4L2 interface.
public struct V4L2Backend: CaptureBackend {
    public let name = V4L2CameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = V4L2CameraConfiguration.self

    public init() {}

    public func discover() async throws(CameraError) -> Discovery? {
        Discovery(
            try await CameraListing.ofThisMachine(),
            absence: "This machine has no V4L2 camera (/sys/class/video4linux); "
                + "plug one in, or give this container its devices.")
    }

    public func arrivals() throws(PosixError) -> AsyncStream<Void>? {
        try DeviceArrivals.announced(bySubsystem: "video4linux")
    }
}

/// A running V4L2 camera. Releasing it stops the camera, as ``stop()`` does, without waiting for it.
///
/// Frames are leases on the driver's own buffers, of which there are few. If a consumer keeps more than a handful, the
/// camera's thread copies each frame, and no frame is lost because of that. Leases stay readable after the stream has
/// ended.
///
/// Frames are packed. They are copies if the driver pads rows or uses several memory planes, or if libv4lconvert
/// converts them. A frame that the driver delivers empty or short is counted as lost, one that cannot be converted as
/// torn. A frame that the driver flags as erroneous is delivered with its flag.
public final class V4L2CameraStream: CameraStream {
    public let format: VideoFormat
    public let sampleRange: SampleRange
    public let hardware: CameraHardware
    public let frames: AsyncStream<CameraFrame>
    private let control: StreamControl
    /// The device as it is configured.
    let name: String
    let controlThread: ControlThread
    /// nil if nothing but a restart moves its frames.
    let blanking: FrameBlanking?
    /// Whether the camera's clock may come to stamp the frames, seconds after the start.
    let usesCameraClock: Bool
    let clock: any TimeSource

    init(
        _ setup: V4L2Setup, name: String, frames: AsyncStream<CameraFrame>, control: StreamControl,
        controlThread: ControlThread, blanking: FrameBlanking?, usesCameraClock: Bool, clock: any TimeSource
    ) {
        self.name = name
        self.controlThread = controlThread
        self.blanking = blanking
        self.usesCameraClock = usesCameraClock
        self.clock = clock
        format = setup.format
        sampleRange = setup.sampleRange
        hardware = setup.hardware
        self.frames = frames
        self.control = control
    }

    deinit {
        control.requestStop()
    }

    public var losses: FrameCounters { control.losses }

    public var failure: CameraError? { control.failure }

    public func stop() async {
        control.requestStop()
        await control.waitUntilFinished()
    }
}
