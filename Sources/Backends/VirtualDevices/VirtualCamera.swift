public import CameraKit
public import CaptureModel

/// A camera made of software. It delivers MJPEG of a moving scene at any size and rate, or the samples of a sensor with
/// a Bayer mosaic, with a time code in the pixels, and it fails on request. For demos, tests, and trying a rig before
/// buying it.
///
/// Usable from any thread. A frame costs a fraction of a millisecond of the cooperative pool; nothing blocks.
public final class VirtualCamera: Camera {
    private let device: VirtualDevice

    /// - Parameters:
    ///   - name: The name for errors.
    ///   - configuration: See ``VirtualCameraConfiguration/problems``; ``start(_:clock:)`` refuses an invalid one.
    ///   - stamps: The correction of the stamps of a camera with `stampDelayMilliseconds`.
    public init(
        name: String, configuration: VirtualCameraConfiguration = VirtualCameraConfiguration(),
        stamps: StampCorrection = StampCorrection()
    ) {
        device = VirtualDevice(name: name, configuration: configuration, stamps: stamps)
    }

    public var stamps: CameraStamps? {
        CameraStamps(.simulated, correction: device.configuration.stampDelayMilliseconds == nil ? nil : device.stamps)
    }

    /// The faults that are active or still to begin, which can be changed while it runs. Includes those of the
    /// configuration.
    public var faults: VirtualFaults { device.faults }

    /// The present settings.
    public var configuration: VirtualCameraConfiguration { device.configuration }

    /// Changes settings while it runs: timing, exposure, gain and stamp bound take effect with the next planned frame,
    /// without the delay of controls; `controls` with the next control that is set, and `reportsFrameValues` with the
    /// next planned frame; the rest with the next start. Its `faults` have no effect here: use ``faults``.
    /// - Throws: ``CameraError`` with code `failed` if the result is invalid; then nothing is changed.
    public func reconfigure(_ change: (inout VirtualCameraConfiguration) -> Void) throws(CameraError) {
        try device.reconfigure(change)
    }

    /// Opens the camera and starts the exposures.
    ///
    /// Returns at once; the first frame follows after `startDelayMilliseconds`, exposure and readout. The stream can be
    /// started again when it has ended, by ``CameraStream/stop()``, by a fault, or by releasing the stream.
    public func start(
        _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        try await start(.main, request, clock: clock)
    }

    /// Starts a stream like ``start(_:clock:)``. Faults that affect frames affect those of the main stream.
    public func start(
        _ stream: StreamName, _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        let offered = device.configuration.streams
        guard offered.contains(stream) else {
            throw CameraError(noStream: stream, among: offered, device: device.name)
        }
        let opened = try device.open(stream, clock: clock)
        do throws(CameraError) {
            let agreed = try VirtualFormat(request, for: stream, of: device)
            return VirtualCameraStream(device, agreed, opened: opened, clock: clock)
        } catch {
            device.release(stream)
            throw error
        }
    }

    public func streams() async throws(CameraError) -> [StreamOffer] {
        if let obstacle = device.obstacle { throw obstacle }
        let configuration = device.configuration
        return configuration.streams.map { StreamOffer($0, formats: VirtualFormat.offers(configuration, $0)) }
    }

    /// Returns `denied` while that fault lasts, `notDetermined` while it is unplugged.
    public func authorization() async -> AuthorizationStatus {
        switch device.obstacle?.code {
        case .denied: .denied
        case .absent: .notDetermined
        default: .authorized
        }
    }

    public func authorizationRemedy() async -> String? { device.obstacle?.reason }

    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        if let obstacle = device.obstacle { throw obstacle }
        return DeviceCapabilities(formats: VirtualFormat.offers(device.configuration, .main), controls: device.controls)
    }
}

/// A running virtual camera.
final class VirtualCameraStream: CameraStream {
    let format: VideoFormat
    let hardware: CameraHardware
    let frames: AsyncStream<CameraFrame>
    let report: StreamReport
    let phaseControl: PhaseControl
    private let device: VirtualDevice
    private let exposing: Task<Void, Never>

    /// Number of frames that wait for a consumer, as many as a V4L2 camera has buffers for.
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
        phaseControl = PhaseControl(device.configuration.phaseControl, interval: agreed.video.frameInterval)
        // Unstructured, because the stream outlives the call that starts it. The task ends with `stop()` or with this
        // object.
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

    var statesFrameValues: Bool { true }

    func controls() async throws(CameraError) -> [DeviceControl] {
        try requireRunning()
        return device.controls
    }

    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        try requireRunning()
        return try device.setControls(values)
    }

    func shiftPhase(by shift: Duration) async throws(CameraError) -> Duration {
        try requireRunning()
        guard case .steps(let steps) = phaseControl else {
            throw device.error(.unsupportedControl, "shift phase", "its `phaseControl` is not `exact`")
        }
        let possible = min(max(shift, steps.range.lowerBound), steps.range.upperBound)
        device.shiftPhase(by: possible)
        return possible
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

extension PhaseControl {
    /// Creates what a virtual camera says of itself. A frame that is planned keeps its place, and is exposed within an interval.
    fileprivate init(_ control: VirtualPhaseControl, interval: Duration) {
        self =
            switch control {
            case .exact:
                .steps(
                    PhaseSteps(step: .nanoseconds(1), range: interval / -2...interval / 2, settlingFrames: 2))
            case .restart: .restart
            case .none: .none("its configuration says so: `phaseControl: none`")
            }
    }
}

extension CameraHardware {
    /// Creates the hardware description of a virtual camera.
    init(_ device: VirtualDevice) {
        let configuration = device.configuration
        let number = String(configuration.number)
        let serial = configuration.serial ?? "V" + String(repeating: "0", count: 5 - number.count) + number
        self.init(
            make: configuration.make, model: configuration.model, serial: serial,
            busInformation: "virtual:\(device.name)")
    }
}
