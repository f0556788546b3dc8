public import CameraKit
public import CaptureModel
import TimeCode

/// The loop of one stream of a virtual microphone: waits until each buffer is full, applies the faults, fills it with
/// sound and passes it on.
struct VirtualMicrophoneLoop {
    private let device: VirtualMicrophoneDevice
    private let format: AudioFormat
    private let clock: any TimeSource
    private let report: StreamReport
    private let buffers: AsyncStream<AudioBuffer>.Continuation
    private let grid: FrameGrid
    private let scene: SceneSound
    private let framesPerPeriod: Int64

    /// The delay up to which a late loop loses nothing, like the buffer of a real device.
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

    /// Runs until it is cancelled, its consumer is gone, or the device fails; then releases the device.
    func run(opened: LocalTime) async {
        do {
            try await listen(from: opened)
        } catch let error as CameraError {
            report.failed(error)
        } catch {
            // Stopped: a clock throws only on cancellation.
        }
        // In this order, so that a consumer that sees the end of the buffers can start the microphone again.
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
        // A clock need not check cancellation if its deadline has already passed.
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

    /// Returns the number of complete periods that the device lost because the loop is late.
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

/// The sound of the virtual cameras' scene: faint noise, never silent, and the mark of each second.
struct SceneSound {
    let noise: SeededNoise

    /// Number of noise levels. The noise is never zero and is kept if it would cancel out a mark, because silence means
    /// missing sound.
    private static let noiseLevels: UInt64 = 64
    private static let noiseStream: UInt64 = 0x6E6F_6973_65

    /// Returns samples of every channel, interleaved.
    /// - Parameters:
    ///   - index: Number of the first frame, for the noise.
    ///   - realtime: When the first frame is taken, nanoseconds of `CLOCK_REALTIME`.
    ///   - interval: Nanoseconds from frame to frame.
    func samples(_ count: Int, from index: Int64, realtime: Int64, interval: Double, channels: Int) -> [Int16] {
        var samples: [Int16] = []
        samples.reserveCapacity(count * channels)
        let (second, offset) = SoundMark.place(ofRealtimeNanoseconds: realtime)
        for frame in 0..<count {
            let sound = SoundMark.sample(nanoseconds: offset + Double(frame) * interval, after: second)
            let noise = ambience(index &+ Int64(frame))
            let sum = Int(sound) + noise
            let sample = Int16(clamping: sum == 0 ? noise : sum)
            for _ in 0..<channels { samples.append(sample) }
        }
        return samples
    }

    private func ambience(_ index: Int64) -> Int {
        let bits = noise.bits(at: UInt64(bitPattern: index), stream: Self.noiseStream)
        let level = Int(bits % Self.noiseLevels) + 1
        return bits & (1 << 63) == 0 ? level : -level
    }
}

/// A microphone made of software. It records faint noise and, at every whole second of the scene's time, the mark of
/// `docs/virtual-microphone.md`, and it fails on request. For demos, tests, and trying a rig before buying it.
///
/// Usable from any thread. Nothing blocks.
public final class VirtualMicrophone: Microphone {
    private let device: VirtualMicrophoneDevice

    /// - Parameters:
    ///   - name: The name for errors.
    ///   - configuration: See ``VirtualMicrophoneConfiguration/problems``; ``start(_:clock:)`` refuses an invalid one.
    public init(name: String, configuration: VirtualMicrophoneConfiguration = VirtualMicrophoneConfiguration()) {
        device = VirtualMicrophoneDevice(name: name, configuration: configuration)
    }

    /// The faults that are active or still to begin, which can be changed while it runs. Includes those of the
    /// configuration.
    public var faults: VirtualFaults { device.faults }

    public var identityDescription: String? { nil }

    /// Opens the microphone; returns at once. It is free again when the stream ends, by ``MicrophoneStream/stop()``, by
    /// a fault, or by releasing the stream.
    public func start(
        _ request: AudioFormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any MicrophoneStream {
        let format = try device.format(request)
        let opened = try device.open(clock: clock)
        return VirtualMicrophoneStream(device, format, opened: opened, clock: clock)
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
}

/// A running virtual microphone.
final class VirtualMicrophoneStream: MicrophoneStream {
    let format: AudioFormat
    let buffers: AsyncStream<AudioBuffer>
    private let report: StreamReport
    private let listening: Task<Void, Never>

    /// Number of buffers that wait for a consumer.
    private static let depth = 64

    init(_ device: VirtualMicrophoneDevice, _ format: AudioFormat, opened: LocalTime, clock: any TimeSource) {
        self.format = format
        let (buffers, continuation) = AsyncStream.makeStream(
            of: AudioBuffer.self, bufferingPolicy: .bufferingNewest(Self.depth))
        let report = StreamReport()
        self.buffers = buffers
        self.report = report
        // Unstructured, because the stream outlives the call that starts it. The task ends with `stop()` or with this
        // object.
        listening = Task {
            let loop = VirtualMicrophoneLoop(device, format, clock: clock, report: report, buffers: continuation)
            await loop.run(opened: opened)
        }
    }

    deinit {
        listening.cancel()
    }

    var losses: FrameCounters { report.losses.counters }

    var failure: CameraError? { report.failure }

    func stop() async {
        listening.cancel()
        await listening.value
    }
}
