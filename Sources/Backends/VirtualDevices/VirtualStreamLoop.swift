public import CameraKit
import CaptureModel
import PosixSupport
import TimeCode

/// The loop of one stream: waits for each frame's delivery, applies the faults, draws it and passes it on.
struct VirtualStreamLoop {
    private let device: VirtualDevice
    private let agreed: VirtualFormat
    private let clock: any TimeSource
    private let report: StreamReport
    private let frames: AsyncStream<CameraFrame>.Continuation

    init(
        _ device: VirtualDevice, _ agreed: VirtualFormat, clock: any TimeSource, report: StreamReport,
        frames: AsyncStream<CameraFrame>.Continuation
    ) {
        self.device = device
        self.agreed = agreed
        self.clock = clock
        self.report = report
        self.frames = frames
    }

    /// Runs until it is cancelled, its consumer is gone, or the device fails; then releases the device.
    func run(opened: LocalTime) async {
        do {
            try await expose(from: opened)
        } catch let error as CameraError {
            report.failed(error)
        } catch is CancellationError {
            // Stopped.
        } catch {
            report.failed(device.error(.failed, "draw", "\(error)"))
        }
        // In this order, so that a consumer that sees the end of the frames can start the camera again.
        device.release(agreed.stream)
        frames.finish()
    }

    private func expose(from opened: LocalTime) async throws {
        let configuration = device.configuration
        let late = agreed.stream == .main ? device.faults.withSchedule { $0.startDelay(at: opened) } : .zero
        let start = opened + late + Duration(clampedMilliseconds: configuration.startDelayMilliseconds)
        var sensor = VirtualSensor(framesPerSecond: agreed.framesPerSecond, firstExposure: start)
        var painter = try VirtualPainter(configuration, agreed)
        var lost: UInt64 = 0
        // A clock need not check cancellation if its deadline has already passed.
        while !Task.isCancelled {
            let settings = device.plan(agreed.stream)
            let exposure = sensor.next(settings.configuration, now: clock.now())
            try device.record("expose") { truth throws(PosixError) in
                try truth.expose(exposure, settings, agreed.stream)
            }
            try await clock.sleep(until: exposure.delivery)
            let faults = effects(on: exposure)
            guard !faults.contains(.unplugged) else { throw device.unplugged }
            lost += exposure.skipped
            guard faults.isDisjoint(with: [.dropped, .stalled]) else {
                lost += 1
                continue
            }
            // A driver's losses show as the gap before the next frame, so they are counted with it.
            report.lost(byDevice: lost)
            lost = 0
            let lease = FrameLease(try painter.picture(exposure, settings, faults, clock.wallClockPair()))
            guard handOn(exposure, settings.configuration, faults, lease) else { return }
        }
    }

    /// Returns the faults that affect a frame. The faults count the frames of the main stream; another stream ends with
    /// the device.
    private func effects(on exposure: Exposure) -> Set<VirtualFault.Kind> {
        device.faults.withSchedule { schedule in
            guard agreed.stream != .main else {
                return schedule.effects(at: exposure.delivery, skipped: exposure.skipped)
            }
            return schedule.foreseenRefusal(at: exposure.delivery) == .unplugged ? [.unplugged] : []
        }
    }

    /// Returns when the frame was exposed and how exactly, as the camera and its correction say, and whether that is measured.
    private func stamp(
        of exposure: Exposure, _ settings: VirtualCameraConfiguration
    ) -> (midExposure: LocalTime, bound: Duration, isCorrected: Bool) {
        guard let delay = settings.stampDelayMilliseconds else {
            return (exposure.midExposure, Duration(clampedMilliseconds: settings.stampBoundMilliseconds), false)
        }
        let stamp = exposure.midExposure + Duration(clampedMilliseconds: delay) + device.stamps.latencyOffset
        let uncertainty = device.stamps.uncertainty
        return (stamp, uncertainty ?? agreed.video.frameInterval, uncertainty != nil)
    }

    /// - Returns: Whether there is still a consumer.
    private func handOn(
        _ exposure: Exposure, _ settings: VirtualCameraConfiguration, _ faults: Set<VirtualFault.Kind>,
        _ lease: FrameLease
    ) -> Bool {
        let reports = settings.controls.reportsFrameValues
        let stamp = stamp(of: exposure, settings)
        let frame = CameraFrame(
            sequence: exposure.sequence, midExposure: stamp.midExposure, stampBound: stamp.bound,
            isCorrected: stamp.isCorrected, exposure: reports ? exposure.length : nil,
            gain: reports ? Int64(settings.gainDecibels.rounded()) : nil, dequeued: clock.now(),
            isFlaggedErroneous: faults.contains(.erroneous),
            payload: CameraFrame.Payload(lease, of: agreed.video.pixelFormat))
        return report.hand(frame, to: frames)
    }
}

/// Cameras and microphones made of software. There are none to discover: a configuration creates as many as it names.
public struct VirtualBackend: CaptureBackend {
    public let name = VirtualCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = VirtualCameraConfiguration.self
    public let microphones: (any MicrophoneSource.Type)? = VirtualMicrophoneConfiguration.self

    public init() {}
}

/// The format agreed for one stream, from the request and the configuration.
struct VirtualFormat {
    let stream: StreamName
    let video: VideoFormat
    let framesPerSecond: Double
    let layout: TimeCodeLayout

    init(_ request: FormatRequest, for stream: StreamName, of device: VirtualDevice) throws(CameraError) {
        let configuration = device.configuration
        guard let own = configuration.size(of: stream) else {
            throw CameraError(noStream: stream, among: configuration.streams, device: device.name)
        }
        self.stream = stream
        let (width, height) = (request.width ?? own.width, request.height ?? own.height)
        let rate = request.framesPerSecond ?? configuration.framesPerSecond
        let pixelFormat = request.pixelFormat ?? .mjpeg
        guard Self.pixelFormats.contains(pixelFormat) else {
            throw device.error(.unsupportedFormat, "negotiate", "a virtual camera delivers MJPG and Bayer formats only")
        }
        guard VirtualLimits.width.contains(width), VirtualLimits.height.contains(height) else {
            let limits = "\(VirtualLimits.width) by \(VirtualLimits.height)"
            throw device.error(.unsupportedFormat, "negotiate", "\(width)x\(height) is not within \(limits) pixels")
        }
        guard VirtualLimits.framesPerSecond.contains(rate) else {
            let limits = "\(VirtualLimits.framesPerSecond)"
            throw device.error(.unsupportedFormat, "negotiate", "\(rate) frames per second are not within \(limits)")
        }
        do {
            layout = try TimeCodeLayout(width: width, height: height)
        } catch {
            throw device.error(.unsupportedFormat, "negotiate", "\(error)")
        }
        framesPerSecond = rate
        let interval = Duration.nanoseconds(Int64((1e9 / rate).rounded()))
        video = VideoFormat(pixelFormat: pixelFormat, width: width, height: height, frameInterval: interval)
    }

    private static let pixelFormats = [.mjpeg] + PixelFormat.allCases.filter(\.family.isMosaic)

    static func offers(_ configuration: VirtualCameraConfiguration, _ stream: StreamName) -> [FormatOffer] {
        pixelFormats.map { offer($0, configuration, stream) }
    }

    /// Returns the offers of a camera: its sensor's sizes, and any other, made to order.
    private static func offer(
        _ pixelFormat: PixelFormat, _ configuration: VirtualCameraConfiguration, _ stream: StreamName
    ) -> FormatOffer {
        // A camera that cannot be started has no native size either.
        guard configuration.problems.isEmpty, let size = configuration.size(of: stream) else {
            return FormatOffer(pixelFormat: pixelFormat, sizes: [anySize])
        }
        let whole = PixelSize(width: size.width, height: size.height)
        return FormatOffer(
            pixelFormat: pixelFormat, sizes: sensorSizes(whole, configuration.framesPerSecond) + [anySize])
    }

    /// Returns the configured size, and its half and quarter where they hold a time code, as a sensor that combines
    /// pixels has them. It reads these at twice the configured rate too.
    private static func sensorSizes(_ whole: PixelSize, _ framesPerSecond: Double) -> [SizeOffer] {
        (0...2).compactMap { halvings in
            let (width, height) =
                halvings == 0
                ? (whole.width, whole.height) : (whole.width >> halvings & ~1, whole.height >> halvings & ~1)
            guard VirtualLimits.width.contains(width), VirtualLimits.height.contains(height),
                (try? TimeCodeLayout(width: width, height: height)) != nil
            else { return nil }
            let rates = halvings == 0 ? [framesPerSecond] : [framesPerSecond * 2, framesPerSecond]
            return SizeOffer(
                widths: PixelRange(width, width), heights: PixelRange(height, height),
                intervals: rates.filter(VirtualLimits.framesPerSecond.contains).map { rate in
                    let interval = Int64((1e9 / rate).rounded())
                    return IntervalOffer(shortestNanoseconds: interval, longestNanoseconds: interval)
                })
        }
    }

    private static let anySize = SizeOffer(
        widths: PixelRange(VirtualLimits.width.lowerBound, VirtualLimits.width.upperBound),
        heights: PixelRange(VirtualLimits.height.lowerBound, VirtualLimits.height.upperBound),
        intervals: [
            IntervalOffer(
                shortestNanoseconds: Int64(1e9 / VirtualLimits.framesPerSecond.upperBound),
                longestNanoseconds: Int64(1e9 / VirtualLimits.framesPerSecond.lowerBound))
        ], isMadeToOrder: true)
}

/// Makes the bytes of each frame of a stream, including faults of the picture.
struct VirtualPainter {
    private let camera: UInt16
    private var scene: VirtualScene
    private var mosaic: VirtualMosaic?
    /// Draws instead of the scene if the camera has a look.
    private var lookScene: LookScene?
    /// Draws instead of the scene if the camera looks at a screen.
    private var screenScene: ScreenScene?
    private let screen: VirtualScreen?
    /// Draws pictures of another size than agreed, once a fault asks for one.
    private var largerScene: VirtualScene?
    private var last: [UInt8]?
    private let layout: TimeCodeLayout
    private let quality: Int
    private let noise: SeededNoise

    /// - Throws: The encoder's error if it cannot be created.
    init(_ configuration: VirtualCameraConfiguration, _ agreed: VirtualFormat) throws {
        camera = configuration.number
        let isMosaic = agreed.video.pixelFormat.family.isMosaic
        quality = isMosaic ? VirtualMosaic.sceneQuality : configuration.quality
        (layout, noise) = (agreed.layout, configuration.noise)
        scene = try VirtualScene(
            agreed.layout, quality: quality, camera: configuration.number, noise: configuration.noise)
        lookScene = configuration.look == nil ? nil : try LookScene(agreed.layout, quality: quality)
        screen = configuration.look == nil ? configuration.screen : nil
        screenScene = screen == nil ? nil : try ScreenScene(agreed.layout, quality: quality)
        mosaic = isMosaic ? try VirtualMosaic(agreed.video) : nil
    }

    /// Returns the frame of this exposure, as modified by the faults.
    /// - Throws: The encoder's error if it fails.
    mutating func picture(
        _ exposure: Exposure, _ settings: VirtualSettings, _ faults: Set<VirtualFault.Kind>,
        _ clocks: WallClockPair<LocalTimeBase>
    ) throws -> [UInt8] {
        let picture: [UInt8]
        if faults.contains(.frozen), let last {
            picture = last
        } else {
            let code = TimeCode(
                realtimeNanoseconds: clocks.realtimeNanoseconds(at: exposure.midExposure),
                frameNumber: UInt32(truncatingIfNeeded: exposure.sequence), cameraNumber: camera)
            let isResized = faults.contains(.resized) && mosaic == nil
            let drawn = isResized ? try drawnLarger(code) : try drawn(code, exposure, settings)
            picture = try mosaic?.frame(of: drawn) ?? drawn
        }
        last = picture
        guard mosaic == nil else {
            return faults.contains(.torn) ? Array(picture.prefix(picture.count / 2)) : picture
        }
        return PictureFaults.apply(faults, to: picture)
    }

    /// Draws a picture of another size than agreed.
    private mutating func drawnLarger(_ code: TimeCode) throws -> [UInt8] {
        var scene =
            try largerScene
            ?? VirtualScene(
                TimeCodeLayout(width: layout.width + 16, height: layout.height + 16), quality: quality,
                camera: camera, noise: noise)
        defer { largerScene = scene }
        return try scene.picture(code, brightness: 1)
    }

    private mutating func drawn(
        _ code: TimeCode, _ exposure: Exposure, _ settings: VirtualSettings
    ) throws -> [UInt8] {
        let brightness = settings.brightness(exposure: exposure.length)
        // A sensor's own samples come before white balance and tone curve.
        if let lens = settings.lens, lookScene != nil {
            let light = brightness * lens.flicker(at: exposure.midExposure, for: exposure.length)
            return try lookScene?.picture(code, mosaic == nil ? lens : lens.raw, light: light) ?? []
        }
        if let screen {
            return try screenScene?.picture(code, screen, exposure, brightness: brightness) ?? []
        }
        return try scene.picture(
            code, brightness: brightness, whiteBalance: mosaic == nil ? settings.whiteBalance : .neutral)
    }
}
