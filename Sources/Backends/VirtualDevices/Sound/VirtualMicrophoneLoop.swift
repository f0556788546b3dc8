import CameraKit
import CaptureModel

/// The life of one stream of a virtual microphone: waits until each buffer is full, lets the faults have their way, fills
/// it with what is to be heard and hands it on.
struct VirtualMicrophoneLoop {
    private let device: VirtualMicrophoneDevice
    private let format: AudioFormat
    private let clock: any TimeSource
    private let report: StreamReport
    private let buffers: AsyncStream<AudioBuffer>.Continuation
    private let grid: FrameGrid
    private let scene: SceneSound
    private let framesPerPeriod: Int64

    /// What a late loop loses nothing of, as the buffer of a real device.
    private static let deviceBuffer = Duration.milliseconds(500)
    private static let jitterStream: UInt64 = 0x736F_756E_646A

    init(
        _ device: VirtualMicrophoneDevice, _ format: AudioFormat, clock: any TimeSource, report: StreamReport,
        buffers: AsyncStream<AudioBuffer>.Continuation
    ) {
        self.device = device
        self.format = format
        self.clock = clock
        self.report = report
        self.buffers = buffers
        let configuration = device.configuration
        grid = FrameGrid(interval: format.nanosecondsPerFrame * (1 + configuration.driftPPM * 1e-6), phase: 0)
        scene = SceneSound(noise: configuration.noise)
        framesPerPeriod = max(1, Int64(configuration.periodMilliseconds * 1e6 / format.nanosecondsPerFrame))
    }

    /// Runs until it is cancelled, nobody listens any more, or the device fails; then gives the device back.
    func run(opened: LocalTime) async {
        do {
            try await listen(from: opened)
        } catch let error as CameraError {
            report.failed(error)
        } catch {
            // Stopped: a clock throws nothing but cancellation.
        }
        // In this order, so that whoever sees the end of the buffers can start the microphone again.
        device.release()
        buffers.finish()
    }

    private func listen(from opened: LocalTime) async throws {
        let configuration = device.configuration
        let late = device.faults.withSchedule { $0.startDelay(at: opened) }
        let start = opened + late + Duration(clampedMilliseconds: configuration.startDelayMilliseconds)
        let first = grid.firstIndex(notBefore: start)
        var index = first
        var lost: UInt64 = 0
        // A clock need not look at cancellation where its deadline has passed already.
        while !Task.isCancelled {
            let delivery =
                grid.instant(index + framesPerPeriod)
                + Duration(clampedMilliseconds: configuration.deliveryMilliseconds)
            let skipped = overrun(at: clock.now(), due: delivery)
            lost += UInt64(skipped * framesPerPeriod)
            index += skipped * framesPerPeriod
            if skipped > 0 { continue }
            try await clock.sleep(until: delivery)
            let faults = device.faults.withSchedule { $0.effects(at: delivery, skipped: 0) }
            guard !faults.contains(.unplugged) else { throw device.unplugged }
            guard faults.isDisjoint(with: [.dropped, .stalled]) else {
                lost += UInt64(framesPerPeriod)
                index += framesPerPeriod
                continue
            }
            report.lost(byDevice: lost)
            let buffer = buffer(index, position: UInt64(index - first), lost: lost)
            guard report.hand(buffer, of: UInt64(framesPerPeriod), to: buffers) else { return }
            lost = 0
            index += framesPerPeriod
        }
    }

    /// Whole periods that the device could not keep for a loop that is late.
    private func overrun(at now: LocalTime, due: LocalTime) -> Int64 {
        let behind = now - due - Self.deviceBuffer
        return behind > .zero ? grid.intervals(in: behind) / framesPerPeriod + 1 : 0
    }

    private func buffer(_ index: Int64, position: UInt64, lost: UInt64) -> AudioBuffer {
        let taken = grid.instant(index)
        let configuration = device.configuration
        let spread = 2 * configuration.noise.fraction(at: UInt64(bitPattern: index), stream: Self.jitterStream) - 1
        let jitter = Duration(clampedMilliseconds: spread * configuration.stampJitterMilliseconds)
        let samples = scene.samples(
            Int(framesPerPeriod), from: index, realtime: clock.wallClockPair().realtimeNanoseconds(at: taken),
            interval: grid.interval, channels: format.channels)
        return AudioBuffer(
            samples: samples, format: format, firstFrame: taken + jitter,
            stampBound: Duration(clampedMilliseconds: configuration.stampBoundMilliseconds), position: position,
            lostFrames: lost)
    }
}
