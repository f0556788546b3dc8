public import CaptureDevices
public import CaptureModel
public import PosixSupport
public import Spool

/// One camera running: its stream, its ring, and the captures made from them.
///
/// ```
///            start                first good frame
///  stopped ────────▶ starting ───────────────────▶ running
///     ▲                 │ ▲                          │  │
///     │        fails    │ │ after a wait that        │  │ no good frame for stallTimeout
///     │                 ▼ │ doubles up to a limit    │  ▼
///     │   absent, busy, denied, failed ◀─────────────┘ stalled
///     └── run() is cancelled, from any state   stream ends     (the stream is stopped, then as `ends`)
/// ```
///
/// The session runs on a thread of its own, where frames are also checked and encoded, so that a slow frame delays only
/// its own camera. ``arm(_:)``, ``fire(_:)`` and ``cancel(_:)`` are answered between frames.
public actor CameraSession {
    public nonisolated let device: DeviceDescription
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    nonisolated let executor: FileExecutor
    nonisolated let camera: any Camera
    nonisolated let format: FormatRequest
    nonisolated let policy: SessionPolicy
    nonisolated let clock: any TimeSource
    nonisolated let rigClock: any RigTimeSource
    nonisolated let spool: Spool
    private nonisolated let observer: @Sendable (SessionEvent) async -> Void

    var ring: FrameRing
    var pending: [CaptureKey: PendingCapture] = [:]
    var interval = FrameInterval(nominal: .zero)
    var stream: (any CameraStream)?
    /// What the hardware said of itself when it was last opened.
    var hardware = CameraHardware()
    var lastGoodFrame: LocalTime?
    private var state = DeviceCondition.State.starting
    private var reason: String?
    private var counters = FrameCounters()

    /// - Parameters:
    ///   - executor: The session's own thread.
    ///   - observer: Told of every change, in order; the session waits for it, so it must be quick.
    public init(
        device: DeviceDescription, camera: any Camera, format: FormatRequest, policy: SessionPolicy,
        clock: any TimeSource, rigClock: any RigTimeSource, spool: Spool, executor: FileExecutor,
        observer: @escaping @Sendable (SessionEvent) async -> Void
    ) {
        self.device = device
        self.camera = camera
        self.format = format
        self.policy = policy
        self.clock = clock
        self.rigClock = rigClock
        self.spool = spool
        self.executor = executor
        self.observer = observer
        ring = FrameRing(depth: policy.ringDepth, byteLimit: policy.ringByteLimit)
    }

    /// What the device is doing.
    public var condition: DeviceCondition {
        var total = counters
        total.add(stream?.losses ?? FrameCounters())
        return DeviceCondition(
            state: state, reason: reason, format: stream?.format, counters: total, phase: phase)
    }

    /// How far the ring reaches back from the newest frame.
    public var ringReach: Duration {
        guard let oldest = ring.oldest, let newest = ring.newest else { return .zero }
        return newest.midExposure - oldest.midExposure
    }

    private var phase: FramePhase? {
        guard state == .running, let newest = ring.newest, ring.count > 1,
            let rig = rigClock.rigTime(at: newest.midExposure)
        else { return nil }
        return FramePhase(midExposure: rig.time, periodNanoseconds: interval.value.nanoseconds)
    }

    /// Keeps the camera running until the calling task is cancelled; then stops it and gives up what is pending.
    public func run() async {
        var delay = RetryDelay(first: policy.firstRetry, last: policy.lastRetry)
        while !Task.isCancelled {
            let delivered = counters.delivered
            await streamOnce()
            // Where no frame comes, nothing else lets go of what was armed before.
            await expirePending()
            if counters.delivered > delivered { delay.reset() }
            try? await clock.sleep(for: delay.take())
        }
        for key in pending.keys.sorted() { await cancel(key) }
    }

    private func streamOnce() async {
        await change(to: state == .running ? .starting : state, reason: reason)
        do throws(CameraError) {
            let started = try await camera.start(format, clock: clock)
            stream = started
            hardware = started.hardware
            lastGoodFrame = nil
            interval = FrameInterval(nominal: started.format.frameInterval)
            await follow(started)
            await end(started)
        } catch {
            await change(to: DeviceCondition.State(error), reason: error.description)
        }
    }

    /// Takes frames until the stream ends, the watchdog bites or the task is cancelled.
    private func follow(_ stream: any CameraStream) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.consume(stream) }
            group.addTask { await self.watch(stream) }
            await group.next()
            group.cancelAll()
        }
    }

    private func watch(_ stream: any CameraStream) async {
        let start = clock.now()
        while !Task.isCancelled {
            let limit = max(lastGoodFrame ?? start, start) + policy.stallTimeout
            do { try await clock.sleep(until: limit) } catch { return }
            guard max(lastGoodFrame ?? start, start) + policy.stallTimeout <= clock.now() else { continue }
            counters.stalls += 1
            await change(to: .stalled, reason: "no good frame for \(policy.stallTimeout); the stream is restarted")
            return
        }
    }

    private func consume(_ stream: any CameraStream) async {
        do {
            let intake = try FrameIntake(format: stream.format, quality: policy.quality, clock: clock)
            for await frame in stream.frames {
                await take(frame, through: intake)
            }
        } catch {
            await change(to: .failed, reason: error.message)
        }
    }

    private func take(_ frame: CameraFrame, through intake: borrowing FrameIntake) async {
        do {
            let kept = try intake.accept(frame)
            interval.note(sequence: kept.sequence, midExposure: kept.midExposure)
            guard ring.append(kept) else {
                counters.droppedByNode += 1
                return
            }
            counters.delivered += 1
            lastGoodFrame = clock.now()
            if state != .running { await change(to: .running, reason: nil) }
        } catch .flaggedErroneous {
            counters.flaggedErroneous += 1
        } catch {
            counters.torn += 1
        }
        await expirePending()
        for capture in pending.values { capture.alarm?.ring() }
    }

    /// Closes what is left of a stream and says why it ended.
    private func end(_ ended: any CameraStream) async {
        await ended.stop()
        counters.add(ended.losses)
        stream = nil
        let why = ended.failure?.description ?? reason ?? "the stream has ended"
        for key in pending.keys { pending[key]?.interruption = why }
        if let failure = ended.failure {
            await change(to: DeviceCondition.State(failure), reason: failure.description)
        }
    }

    private func change(to next: DeviceCondition.State, reason why: String?) async {
        guard next != state || why != reason else { return }
        state = next
        reason = why
        await observer(.conditionChanged(condition))
    }

    func tell(_ key: CaptureKey, _ step: LifeCycleStep) async {
        await observer(.lifeCycle(key, step))
    }

    var isRunning: Bool { state == .running }
    var stateDescription: String { reason ?? "the camera is \(state.rawValue)" }
}

extension DeviceCondition.State {
    /// The state a camera error leaves the device in.
    init(_ error: CameraError) {
        switch error.code {
        case .absent: self = .absent
        case .busy: self = .busy
        case .denied: self = .denied
        case .noBandwidth, .unsupportedFormat, .ambiguous, .failed: self = .failed
        }
    }
}
