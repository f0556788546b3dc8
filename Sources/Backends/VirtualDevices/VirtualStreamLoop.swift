import CameraKit
import CaptureModel
import TimeCode

/// The life of one stream: waits for each frame's delivery, lets the faults have their way, draws it and hands it on.
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

    /// Runs until it is cancelled, nobody listens any more, or the device fails; then gives the device back.
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
        // In this order, so that whoever sees the end of the frames can start the camera again.
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
        // A clock need not look at cancellation where its deadline has passed already.
        while !Task.isCancelled {
            let settings = device.settings
            let exposure = sensor.next(settings.configuration, now: clock.now())
            try await clock.sleep(until: exposure.delivery)
            let faults = effects(on: exposure)
            guard !faults.contains(.unplugged) else { throw device.unplugged }
            lost += exposure.skipped
            guard faults.isDisjoint(with: [.dropped, .stalled]) else {
                lost += 1
                continue
            }
            // A driver's losses show by the gap before the next frame, so they are counted with it.
            report.lost(byDevice: lost)
            lost = 0
            let lease = FrameLease(try painter.picture(exposure, settings, faults, clock.wallClockPair()))
            guard handOn(exposure, settings.configuration, faults, lease) else { return }
        }
    }

    /// What strikes a frame. The faults count the frames of the main stream; another one ends with the device.
    private func effects(on exposure: Exposure) -> Set<VirtualFault.Kind> {
        device.faults.withSchedule { schedule in
            guard agreed.stream != .main else {
                return schedule.effects(at: exposure.delivery, skipped: exposure.skipped)
            }
            return schedule.foreseenRefusal(at: exposure.delivery) == .unplugged ? [.unplugged] : []
        }
    }

    /// - Returns: Whether there is still a consumer.
    private func handOn(
        _ exposure: Exposure, _ settings: VirtualCameraConfiguration, _ faults: Set<VirtualFault.Kind>,
        _ lease: FrameLease
    ) -> Bool {
        let frame = CameraFrame(
            sequence: exposure.sequence, midExposure: exposure.midExposure,
            stampBound: Duration(clampedMilliseconds: settings.stampBoundMilliseconds), exposure: exposure.length,
            gain: Int64(settings.gainDecibels.rounded()),
            dequeued: clock.now(), isFlaggedErroneous: faults.contains(.erroneous),
            payload: CameraFrame.Payload(lease, of: agreed.video.pixelFormat))
        return report.hand(frame, to: frames)
    }
}
