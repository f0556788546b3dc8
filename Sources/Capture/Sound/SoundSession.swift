public import CameraKit
public import CaptureModel

/// One microphone's session: its stream, its ring, and the clips made from it.
///
/// The microphone is open only while a feature needs sound, which ``need(_:)`` and ``release(_:)`` say. When it fails,
/// it is opened again after waits that grow; ``SoundMachine`` has the table. Work is small, so that the session runs on
/// Swift's pool; what blocks is done on the microphone's own thread.
public actor SoundSession {
    /// Which microphone it is.
    public nonisolated let device: DeviceDescription
    /// What it opens.
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
    /// Those who wait for sound that is still to come.
    private var listeners: [SoundListener] = []
    private var retryAt: LocalTime?
    private var lastArrival = LocalTime(nanoseconds: 0)
    private var isServing = false
    private var told: DeviceCondition.State = .stopped
    /// Wakes ``run()`` between two streams.
    private let wake: Alarm
    /// Ends the stream that runs; each has its own, since an alarm whose waiter was cancelled waits no more.
    private var closing: Alarm

    /// - Parameter observer: Told of every change of state, with the reason, in order; must return at once.
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

    // MARK: What needs sound

    /// Has the microphone opened, and kept open, for a feature; harmless when it is already.
    public func need(_ demand: SessionDemand) {
        handle(.need(demand))
    }

    /// Waits for what ``need(_:)`` has begun: until sound comes, or the attempt has failed, which takes
    /// ``SoundPolicy/stallTimeout`` of a microphone that says nothing. ``run()`` must be executing, or about to.
    /// - Returns: Why there is no sound, a sentence without its subject; nil while it comes.
    public func started() async -> String? {
        let listener = SoundListener(instant: LocalTime(nanoseconds: .max), clock: clock)
        listeners.append(listener)
        defer { listeners.removeAll { $0 === listener } }
        while !Task.isCancelled, machine.state == .starting { await listener.alarm.wait(until: nil) }
        return silence()
    }

    /// Ends that; harmless where there was none.
    public func release(_ demand: SessionDemand) {
        handle(.release(demand))
    }

    /// The kernel has told of a device: a microphone that is missed is tried at once.
    public func devicesChanged() {
        handle(.present)
    }

    /// What the microphone is doing, and why it is not running where it is not.
    public var state: (state: DeviceCondition.State, reason: String?) { (machine.state, machine.reason) }

    /// The same for the rig. Counters count frames, samples of every channel.
    public var condition: DeviceCondition {
        var total = counters
        total.add(stream?.losses ?? FrameCounters())
        return DeviceCondition(state: machine.state, reason: machine.reason, counters: total)
    }

    /// What it delivers; what is asked for while it is closed.
    public var format: AudioFormat {
        stream?.format ?? ring.newest?.format
            ?? AudioFormat(sampleRate: request.sampleRate ?? 48_000, channels: request.channels ?? 1)
    }

    // MARK: Clips

    /// The sound of a window, which may lie in the past, in the future, or in both.
    ///
    /// Returns when all of it is here; at the latest ``SoundPolicy/patience`` after the window's end, and at its end
    /// where the microphone is not running then. At once where it is not wanted. What has not come is a gap in the clip,
    /// with its cause; it never fails.
    public func sound(in window: ClosedRange<LocalTime>) async -> SoundClip {
        await arrival(of: window.upperBound)
        let tail: SoundGap.Cause = machine.isDelivering ? .notArrived : .notOpen
        var clip = SoundClip(of: window, from: ring, format: format, tail: tail)
        if clip.gaps.contains(where: { $0.cause == .notOpen }) { clip.problem = machine.reason ?? lastProblem }
        return clip
    }

    /// Waits until the sound of an instant is here, or is to be expected no longer.
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
        // A stamp's error must not leave a hole at the end.
        if let newest = ring.newest, newest.end >= instant + newest.stampBound + .milliseconds(1) { return false }
        return machine.isDelivering || clock.now() < instant
    }

    // MARK: Outputs

    /// Offers the sound to an output from here on; harmless when it already is. The microphone is opened by
    /// ``need(_:)``, not by this.
    public func attach(_ output: AudioDataOutput) {
        if !outputs.contains(where: { $0 === output }) { outputs.append(output) }
    }

    /// Ends that; harmless where it was not.
    public func detach(_ output: AudioDataOutput) {
        outputs.removeAll { $0 === output }
    }

    // MARK: Running

    /// Why the microphone last failed.
    private var lastProblem: String?

    /// Serves until the calling task is cancelled; the microphone is closed then. Call it once.
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
        // Whoever needed it may have gone before this came to pass.
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
                let trouble = started.failure.map(SessionTrouble.init)
                handle(.failed(trouble ?? SessionTrouble(.runtime, "\(device.id): the stream has ended")))
            } else if machine.hardware == .closing {
                handle(.closed)
            }
        } catch {
            handle(.failed(SessionTrouble(error)))
        }
    }

    /// Takes sound until the stream ends, the watchdog bites, nothing needs it any more or the task is cancelled.
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
        for await buffer in stream.buffers { take(buffer) }
    }

    private func take(_ buffer: AudioBuffer) {
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

    /// How late the watchdog may wake and still bite.
    private static let watchLateness = Duration.milliseconds(100)

    private func watch() async {
        let start = clock.now()
        var wasLate = false
        while !Task.isCancelled {
            let limit = lastArrival + policy.stallTimeout
            do { try await clock.sleep(until: limit) } catch { return }
            if clock.now() - start >= policy.goodPeriod { handle(.good) }
            guard lastArrival + policy.stallTimeout <= clock.now() else { continue }
            // Who wakes so late has not run itself; once in a stream the microphone gets the time again to be heard.
            if clock.now() - limit > Self.watchLateness, !wasLate {
                (wasLate, lastArrival) = (true, clock.now())
                continue
            }
            counters.stalls &+= 1
            let reason = "\(device.id): no sound for \(policy.stallTimeout); the microphone is opened again"
            return handle(.stalled(SessionTrouble(.stall, reason)))
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
