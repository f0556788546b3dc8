public import CameraKit
public import CaptureModel

/// One microphone's session: its stream, its ring, and the clips made from it.
///
/// The microphone is open only while a feature needs sound, between ``need(_:)`` and ``release(_:)``. If it fails, it
/// is opened again after growing delays; ``SoundMachine`` has the table. The work is small, so the session runs on
/// Swift's pool. The microphone's own thread does blocking work.
public actor SoundSession {
    /// The microphone's description.
    public nonisolated let device: DeviceDescription
    /// The microphone that it opens.
    public nonisolated let microphone: any Microphone
    private nonisolated let request: AudioFormatRequest
    private nonisolated let policy: SoundPolicy
    private nonisolated let clock: any TimeSource
    private nonisolated let observer: @Sendable (DeviceCondition.State, String?) -> Void

    private var machine: SoundMachine
    private var ring: AudioRing
    private var counters = FrameCounters()
    private var stream: (any MicrophoneStream)?
    private var outputs: [AudioDataOutput] = []
    /// The callers that wait for sound that has not arrived.
    private var listeners: [SoundListener] = []
    private var retryAt: LocalTime?
    private var lastArrival = LocalTime(nanoseconds: 0)
    private var isServing = false
    private var told: DeviceCondition.State = .stopped
    /// Wakes ``run()`` between two streams.
    private let wake: Alarm
    /// Ends the running stream. Each stream has a separate one, because an alarm whose waiter was cancelled cannot be
    /// awaited again.
    private var closing: Alarm

    /// - Parameter observer: Called for every change of state, with the reason, in order. It must return at once.
    public init(
        device: DeviceDescription, microphone: any Microphone, format: AudioFormatRequest = AudioFormatRequest(),
        policy: SoundPolicy = SoundPolicy(), clock: any TimeSource,
        observer: @escaping @Sendable (DeviceCondition.State, String?) -> Void = { _, _ in }
    ) {
        self.device = device
        self.microphone = microphone
        self.request = format
        self.policy = policy
        self.clock = clock
        self.observer = observer
        machine = SoundMachine(firstRetry: policy.firstRetry, lastRetry: policy.lastRetry)
        ring = AudioRing(depth: policy.ringDepth, byteLimit: policy.ringByteLimit)
        wake = Alarm(clock: clock)
        closing = Alarm(clock: clock)
    }

    // MARK: Demand

    /// Opens the microphone for a feature, and keeps it open. Does nothing if it is already open for it.
    public func need(_ demand: SessionDemand) {
        handle(.need(demand))
    }

    /// Waits for the effect of ``need(_:)``: until there is sound, or the attempt has failed, which takes
    /// ``SoundPolicy/stallTimeout`` for a microphone that delivers nothing. ``run()`` must be executing, or about to.
    /// - Returns: Why there is no sound, a sentence without its subject; nil if there is sound.
    public func started() async -> String? {
        let listener = SoundListener(instant: LocalTime(nanoseconds: .max), clock: clock)
        listeners.append(listener)
        defer { listeners.removeAll { $0 === listener } }
        while !Task.isCancelled, machine.state == .starting { await listener.alarm.wait(until: nil) }
        return silence()
    }

    /// Ends a demand. Does nothing if there was none.
    public func release(_ demand: SessionDemand) {
        handle(.release(demand))
    }

    /// Notes that the kernel has reported a device. A missing microphone is retried at once.
    public func devicesChanged() {
        handle(.present)
    }

    /// The state of the microphone, and why it is not running if it is not.
    public var state: (state: DeviceCondition.State, reason: String?) { (machine.state, machine.reason) }

    /// The same for the rig. Counters count frames, samples of every channel.
    public var condition: DeviceCondition {
        var total = counters
        total.add(stream?.losses ?? FrameCounters())
        return DeviceCondition(state: machine.state, reason: machine.reason, counters: total)
    }

    /// The delivered format; the requested one while it is closed.
    public var format: AudioFormat {
        stream?.format ?? ring.newest?.format
            ?? AudioFormat(sampleRate: request.sampleRate ?? 48_000, channels: request.channels ?? 1)
    }

    // MARK: Clips

    /// Returns the sound of a window, which may be in the past, in the future, or in both.
    ///
    /// Returns when all of it has arrived; at the latest ``SoundPolicy/patience`` after the window's end, or at its end
    /// if the microphone is not running then. Returns at once if it is not wanted. Sound that has not arrived is a gap
    /// in the clip, with its cause. It never fails.
    public func sound(in window: ClosedRange<LocalTime>) async -> SoundClip {
        await arrival(of: window.upperBound)
        let tail: SoundGap.Cause = machine.isDelivering ? .notArrived : .notOpen
        var clip = SoundClip(of: window, from: ring, format: format, tail: tail)
        if clip.gaps.contains(where: { $0.cause == .notOpen }) { clip.problem = machine.reason ?? lastProblem }
        return clip
    }

    /// Waits until the sound of an instant has arrived, or is no longer expected.
    private func arrival(of instant: LocalTime) async {
        let listener = SoundListener(instant: instant, clock: clock)
        listeners.append(listener)
        defer { listeners.removeAll { $0 === listener } }
        let limit = instant + policy.patience
        while !Task.isCancelled, mayArrive(instant) {
            let now = clock.now()
            if now >= limit { return }
            await listener.alarm.wait(until: now < instant ? instant : limit)
        }
    }

    private func mayArrive(_ instant: LocalTime) -> Bool {
        guard isServing, machine.isWanted else { return false }
        // A stamp's error must not leave a gap at the end.
        if let newest = ring.newest, newest.end >= instant + newest.stampBound + .milliseconds(1) { return false }
        return machine.isDelivering || clock.now() < instant
    }

    // MARK: Outputs

    /// Offers the sound to an output from here on. Does nothing if it is already attached. ``need(_:)`` opens the
    /// microphone; this does not.
    public func attach(_ output: AudioDataOutput) {
        if !outputs.contains(where: { $0 === output }) { outputs.append(output) }
    }

    /// Ends the offers to an output. Does nothing if it is not attached.
    public func detach(_ output: AudioDataOutput) {
        outputs.removeAll { $0 === output }
    }

    // MARK: Running

    /// Why the microphone last failed.
    private var lastProblem: String?

    /// Serves until the calling task is cancelled, then closes the microphone. Call it once.
    public func run() async {
        isServing = true
        while !Task.isCancelled {
            switch machine.hardware {
            case .opening: await streamOnce()
            case .closing: handle(.closed)
            case .closed, .open:
                await wake.wait(until: retryAt)
                if let retryAt, retryAt <= clock.now() {
                    self.retryAt = nil
                    handle(.retryDue)
                }
            }
        }
        isServing = false
        for demand in machine.demands { handle(.release(demand)) }
        handle(.closed)
        for listener in listeners { listener.alarm.ring() }
    }

    private func streamOnce() async {
        // The demand may have ended before this point.
        guard machine.isWanted else { return handle(.closed) }
        do throws(CameraError) {
            let started = try await microphone.start(request, clock: clock)
            (stream, lastArrival) = (started, clock.now())
            ring.beginStream(started.format)
            handle(.opened)
            if machine.hardware == .open { await follow(started) }
            await started.stop()
            counters.add(started.losses)
            stream = nil
            if machine.hardware == .open, !Task.isCancelled {
                let trouble = started.failure.map(SessionFailure.init)
                handle(.failed(trouble ?? SessionFailure(.runtime, "\(device.id): the stream has ended")))
            } else if machine.hardware == .closing {
                handle(.closed)
            }
        } catch {
            handle(.failed(SessionFailure(error)))
        }
    }

    /// Processes sound until the stream ends, the watchdog fires, nothing needs it or the task is cancelled.
    private func follow(_ stream: any MicrophoneStream) async {
        closing = Alarm(clock: clock)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.consume(stream) }
            group.addTask { await self.watch() }
            group.addTask { await self.awaitClosing() }
            await group.next()
            group.cancelAll()
        }
    }

    private func consume(_ stream: any MicrophoneStream) async {
        for await buffer in stream.buffers { accept(buffer) }
    }

    private func accept(_ buffer: AudioBuffer) {
        lastArrival = clock.now()
        guard ring.append(buffer) else {
            counters.droppedByNode &+= UInt64(buffer.frameCount)
            return
        }
        counters.delivered &+= UInt64(buffer.frameCount)
        for output in outputs { output.offer(buffer) }
        if !machine.isDelivering { handle(.delivering) }
        for listener in listeners where listener.instant <= buffer.end { listener.alarm.ring() }
    }

    /// How late the watchdog may wake and still act.
    private static let watchLateness = Duration.milliseconds(100)

    private func watch() async {
        let start = clock.now()
        var wasLate = false
        while !Task.isCancelled {
            let limit = lastArrival + policy.stallTimeout
            do { try await clock.sleep(until: limit) } catch { return }
            if clock.now() - start >= policy.goodPeriod { handle(.good) }
            guard lastArrival + policy.stallTimeout <= clock.now() else { continue }
            // A watchdog that wakes this late was itself not running. Once per stream, the microphone gets the time
            // again to deliver sound.
            if clock.now() - limit > Self.watchLateness, !wasLate {
                (wasLate, lastArrival) = (true, clock.now())
                continue
            }
            counters.stalls &+= 1
            let reason = "\(device.id): no sound for \(policy.stallTimeout.text); the microphone is opened again"
            return handle(.stalled(SessionFailure(.stall, reason)))
        }
    }

    private func awaitClosing() async {
        while machine.hardware == .open, !Task.isCancelled { await closing.wait(until: nil) }
    }

    private func handle(_ event: SoundMachine.Event) {
        for action in machine.handle(event) {
            switch action {
            case .open: wake.ring()
            case .close: closing.ring()
            case .retry(let delay): retryAt = clock.now() + delay
            case .stopWaiting: retryAt = nil
            }
        }
        lastProblem = machine.trouble?.description ?? lastProblem
        guard machine.state != told else { return }
        told = machine.state
        for listener in listeners { listener.alarm.ring() }
        observer(machine.state, machine.reason)
    }
}
