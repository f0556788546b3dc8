public import CaptureDevices
public import CaptureModel
public import PosixSupport
public import Spool

/// One camera's session, after AVFoundation's `AVCaptureSession`: its stream, its ring, and the captures made from them.
///
/// How it stands, and what it does when the camera fails or is taken away, is decided by ``SessionMachine``; the table is
/// in `docs/design/session.md`. The session runs on a thread of its own, where frames are also checked and encoded, so
/// that a slow frame delays only its own camera. ``arm(_:)``, ``fire(_:)`` and ``cancel(_:)`` are answered between
/// frames.
public actor CaptureSession {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Who else gets the good frames, beside the ring.
    public nonisolated let outputs = SessionOutputs()

    nonisolated let executor: FileExecutor
    nonisolated let policy: SessionPolicy
    nonisolated let clock: any TimeSource
    nonisolated let rigClock: any RigTimeSource
    nonisolated let spool: Spool
    nonisolated let observer: @Sendable (SessionEvent) async -> Void
    /// What the session is made of, and the format it asks of its camera.
    nonisolated let setup: Locked<SessionSetup>

    var ring: FrameRing
    var pending: [CaptureKey: PendingCapture] = [:]
    var interval = FrameInterval(nominal: .zero)
    var stream: (any CameraStream)?
    /// What the hardware said of itself when it was last opened.
    var hardware = CameraHardware()
    /// The USB bus it was on then.
    var bus: SessionCost.USBBus?
    var lastGoodFrame: LocalTime?
    /// What undoes the controls that a capture has set, and when that was last tried.
    var settingsToUndo: [String: Int64] = [:]
    var undoAttempt = LocalTime(nanoseconds: 0)
    var counters = FrameCounters()

    var machine: SessionMachine
    /// Whether ``run()`` is executing; without it nothing opens the hardware.
    var isServing = false
    /// When the machine is to be told that its wait is over.
    var retryAt: LocalTime?
    /// Wakes ``run()`` between two streams.
    var wake: Alarm
    /// Ends the stream that runs.
    var closing: Alarm
    /// Events not told yet, and whether somebody is telling; so that they are told in their order.
    var outbox: [SessionEvent] = []
    var isTelling = false
    var tellers: [CheckedContinuation<Void, Never>] = []
    /// The condition as it was last told.
    var told: (state: DeviceCondition.State, reason: String?) = (.starting, nil)
    /// Whether a configuration is being committed.
    var isCommitting = false
    /// Those who wait for a start, stop or resume to come to its end.
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - format: What is asked of the camera; under another preset than `inputPriority`, what the choice is limited to.
    ///   - executor: The session's own thread.
    ///   - observer: Told of every change, in order; the session waits for it, so it must be quick and ask nothing of
    ///     the session.
    public init(
        device: DeviceDescription, camera: any Camera, format: FormatRequest, preset: SessionPreset = .inputPriority,
        policy: SessionPolicy, clock: any TimeSource, rigClock: any RigTimeSource, spool: Spool,
        executor: FileExecutor, observer: @escaping @Sendable (SessionEvent) async -> Void
    ) {
        self.policy = policy
        self.clock = clock
        self.rigClock = rigClock
        self.spool = spool
        self.executor = executor
        self.observer = observer
        let input = CaptureDeviceInput(device: CaptureDevice(description: device, camera: camera), format: format)
        setup = Locked(
            SessionSetup(
                configuration: SessionConfiguration(
                    revision: 1, input: input, preset: preset, outputs: CaptureOutputKind.allCases),
                input: input, format: preset == .inputPriority ? format : nil))
        ring = FrameRing(depth: policy.ringDepth, byteLimit: policy.ringByteLimit)
        machine = SessionMachine(limits: policy.limits)
        wake = Alarm(clock: clock)
        closing = Alarm(clock: clock)
    }

    /// The device that is the session's input, with the orientation of its connections.
    public nonisolated var device: DeviceDescription {
        setup.withLock { setup in
            var description = setup.input.device.description
            description.orientation = setup.configuration.orientation ?? description.orientation
            return description
        }
    }

    /// The connection that feeds an output; nil where the session does not have the output.
    public nonisolated func connection(to output: CaptureOutputKind) -> CaptureConnection? {
        setup.withLock { $0.configuration.connection(to: output) }
    }

    /// How far the ring reaches back from the newest frame.
    public var ringReach: Duration {
        guard let oldest = ring.oldest, let newest = ring.newest else { return .zero }
        return newest.midExposure - oldest.midExposure
    }

    /// What frames come over to the outputs; nil without a stream.
    private var connection: OutputConnection? {
        stream.map { OutputConnection(format: $0.format, orientation: device.orientation) }
    }

    func streamOnce() async {
        let device = setup.withLock { $0.input.device }
        do throws(CameraError) {
            let format = try await formatToAsk()
            let started = try await device.camera.start(format, clock: clock)
            stream = started
            hardware = started.hardware
            bus = hardware.busInformation.flatMap { USBPort(busInformation: $0) }.map(SessionCost.USBBus.init)
            lastGoodFrame = nil
            interval = FrameInterval(nominal: started.format.frameInterval)
            await handle(.opened)
            if machine.hardware == .open { await follow(started) }
            await end(started)
        } catch {
            await handle(.openFailed(await explained(error, device)))
        }
    }

    /// A refusal by the system may be one that no group or rule takes back.
    private func explained(_ error: CameraError, _ device: CaptureDevice) async -> SessionTrouble {
        guard error.code == .denied, await device.authorization() == .restricted else { return SessionTrouble(error) }
        return SessionTrouble(.refused(.restricted), error.description)
    }

    /// Takes frames until the stream ends, the watchdog bites, the session is stopped or the task is cancelled.
    private func follow(_ stream: any CameraStream) async {
        await withTaskGroup(of: Void.self) { group in
            // Frames come from a thread of their own: without the preference each would wake a third one on its way.
            group.addTask(executorPreference: FileTaskExecutor(self.executor)) { await self.consume(stream) }
            group.addTask { await self.watch(stream) }
            group.addTask { await self.awaitClosing() }
            await group.next()
            group.cancelAll()
        }
    }

    private func awaitClosing() async {
        while machine.hardware == .open, !Task.isCancelled { await closing.wait(until: nil) }
    }

    private func watch(_ stream: any CameraStream) async {
        let start = clock.now()
        while !Task.isCancelled {
            let limit = max(lastGoodFrame ?? start, start) + policy.stallTimeout
            do { try await clock.sleep(until: limit) } catch { return }
            if clock.now() - start >= policy.goodPeriod { await handle(.goodPeriod) }
            guard max(lastGoodFrame ?? start, start) + policy.stallTimeout <= clock.now() else { continue }
            counters.stalls += 1
            let reason = "no good frame for \(policy.stallTimeout); the stream is restarted"
            return await handle(.trouble(SessionTrouble(.stall, reason)))
        }
    }

    private func consume(_ stream: any CameraStream) async {
        do {
            let intake = try FrameIntake(
                format: stream.format, range: stream.sampleRange, quality: policy.quality, clock: clock)
            for await frame in stream.frames {
                await take(frame, through: intake)
            }
        } catch {
            await handle(.trouble(SessionTrouble(.runtime, error.message)))
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
            outputs.offer(kept, over: connection) { connection(to: $0)?.isEnabled == true }
            if !isRunning { await handle(.firstFrame) }
        } catch .flaggedErroneous {
            counters.flaggedErroneous += 1
        } catch {
            counters.torn += 1
        }
        await expirePending()
        for capture in pending.values { capture.alarm?.ring() }
    }

    /// Says why a stream ended, closes what is left of it, and tells that the hardware is free.
    private func end(_ ended: any CameraStream) async {
        if Task.isCancelled {
            await handle(.stop)
        } else if machine.hardware == .open {
            let trouble = ended.failure.map(SessionTrouble.init) ?? SessionTrouble(.runtime, "the stream has ended")
            await handle(.trouble(trouble))
        }
        let why = ended.failure?.description ?? stateDescription
        // A camera keeps its controls when it is closed.
        await undoSettings()
        await ended.stop()
        counters.add(ended.losses)
        stream = nil
        for key in pending.keys { pending[key]?.interruption = why }
        await handle(.closed)
    }

    func tell(_ key: CaptureKey, _ step: LifeCycleStep) async {
        await tell([.lifeCycle(key, step)])
    }

    var isRunning: Bool { machine.state == .running }
}
