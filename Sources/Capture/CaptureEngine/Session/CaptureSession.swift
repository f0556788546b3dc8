public import CameraKit
public import CaptureModel
import FaultPoints
public import PosixSupport
import Recording
import Sound
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
    nonisolated let sceneMeter: SceneMeter
    /// nil where captures have no clips.
    nonisolated let clipMaker: ClipMaker?
    /// Encodes them; nil where they stay as they were recorded.
    nonisolated let deferred: DeferredProcessor?
    /// Where the sound of clips comes from; nil where they are silent.
    nonisolated let clipSound: (any ClipSoundSource)?
    /// Captures whose clip is to be made; bounded by the captures under way.
    nonisolated let clipOrders: AsyncStream<CaptureKey>
    nonisolated let clipOrder: AsyncStream<CaptureKey>.Continuation
    nonisolated let developer: RawDeveloper
    /// nil where nothing is recorded.
    nonisolated let movieOutput: MovieFileOutput?
    /// Recordings to be written; at most one is under way.
    nonisolated let movieOrders: AsyncStream<RecordingRequest>
    nonisolated let movieOrder: AsyncStream<RecordingRequest>.Continuation

    var ring: FrameRing
    var pending: [CaptureKey: PendingCapture] = [:]
    /// Captures whose photo is stored and whose clip is not.
    var clips: [CaptureKey: ClipInProgress] = [:]
    /// Recordings that have begun, until their files are part of their captures.
    var recordings: [CaptureKey: RecordingInProgress] = [:]
    /// Demands that have ended while captures were under way: they count until those have their outcome.
    var lingering: Set<SessionDemand> = []
    var interval = FrameInterval(nominal: .zero)
    var stream: (any CameraStream)?
    /// What the hardware said of itself when it was last opened.
    var hardware = CameraHardware()
    /// The USB bus it was on then.
    var bus: SessionCost.USBBus?
    var lastGoodFrame: LocalTime?
    /// What undoes the controls that a capture has set, and when that was last tried.
    var settingsToUndo: [String: Int64] = [:]
    /// Wake those who arm the camera and wait for a frame, by capture; of two who arm it for the same one, the later. The other looks
    /// again when its time is over.
    var frameAlarms: [CaptureKey: Alarm] = [:]
    /// Captures that were given up, and why; at most as many as may be under way.
    var lostCaptures: [CaptureKey: CaptureProblem] = [:]
    var undoAttempt = LocalTime(nanoseconds: 0)
    var counters = FrameCounters()
    /// What the camera offers, once it was asked.
    var knownOffers: [FormatOffer]?
    /// How long the camera takes from one format to another.
    var reopening = ReopeningTime()
    /// When the stream that runs was asked for.
    var openingBegan = LocalTime(nanoseconds: 0)
    /// Whether the stream that runs is in a still's format instead of the session's.
    var isInPhotoFormat = false
    var switchRecord: FormatSwitchRecord?
    /// Wakes ``serveFormatSwitches()``.
    let switchAlarm: Alarm
    /// nil while changes of the scene are not told.
    var sceneWatch: SceneWatch?
    /// Where frames of the stream that runs are judged: at most one at a time.
    var sceneFrames: AsyncStream<PictureFrame>.Continuation?

    var machine: SessionMachine
    /// Whether ``run()`` is executing; without it nothing opens the hardware.
    var isServing = false
    /// Whether ``run()`` has ever begun.
    var hasBegun = false
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

    /// A session that is stopped until ``run()`` executes.
    /// - Throws: Where the configuration has no input.
    public init(_ configuration: SessionConfiguration, services: SessionServices) throws(ConfigurationFailure) {
        setup = Locked(try SessionSetup(configuration))
        policy = configuration.policy
        clock = services.clock
        rigClock = services.rigClock
        spool = services.spool
        executor = services.executor
        sceneMeter = services.sceneMeter ?? SceneMeter(executor: services.executor)
        clipMaker = services.clipMaker
        deferred = services.deferred
        clipSound = services.clipSound
        (clipOrders, clipOrder) = AsyncStream.makeStream(of: CaptureKey.self)
        movieOutput = services.movieOutput
        (movieOrders, movieOrder) = AsyncStream.makeStream(of: RecordingRequest.self)
        developer = services.developer ?? RawDeveloper(executor: services.executor)
        observer = services.observer
        ring = FrameRing(depth: policy.ringDepth, byteLimit: policy.ringByteLimit)
        machine = SessionMachine(limits: policy.limits)
        sceneWatch = policy.sceneChange.map(SceneWatch.init)
        wake = Alarm(clock: clock)
        closing = Alarm(clock: clock)
        switchAlarm = Alarm(clock: clock)
    }

    /// The device that is the session's input, with the orientation and mirroring of its connections.
    public nonisolated var device: DeviceDescription {
        setup.withLock { setup in
            var description = setup.input.device.description
            description.orientation = setup.configuration.orientation ?? description.orientation
            if let isMirrored = setup.configuration.isVideoMirrored { description.mirrored = isMirrored ? true : nil }
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

    /// What outputs are offered of a frame; nil without a stream, and of a raw mosaic, which has no picture to be seen.
    func offered(_ frame: RingFrame) -> OfferedFrame? {
        guard let picture = frame.picture else { return nil }
        let device = device
        return stream.map {
            OfferedFrame(
                frame: picture, format: $0.format, orientation: device.orientation, isMirrored: device.mirrored ?? false)
        }
    }

    func streamOnce() async {
        let device = setup.withLock { $0.input.device }
        await SessionFault.opening.reached()
        do throws(CameraError) {
            let format = try await nextFormat()
            openingBegan = clock.now()
            let started = try await device.camera.start(format, clock: clock)
            stream = started
            hardware = started.hardware
            bus = hardware.busInformation.flatMap { USBPort(busInformation: $0) }.map(SessionCost.USBBus.init)
            lastGoodFrame = nil
            interval = FrameInterval(nominal: started.format.frameInterval)
            await handle(.opened)
            if machine.hardware == .open {
                await restoreSettings()
                await follow(started)
            }
            await end(started)
        } catch {
            isInPhotoFormat = false
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
            group.addTask { await self.watchScene() }
            group.addTask { await self.awaitClosing() }
            await group.next()
            group.cancelAll()
        }
    }

    private func awaitClosing() async {
        while machine.hardware == .open, !Task.isCancelled { await closing.wait(until: nil) }
    }

    /// How late the watchdog may wake and still bite.
    private static let watchLateness = Duration.milliseconds(100)

    private func watch(_ stream: any CameraStream) async {
        let start = clock.now()
        var since = start
        while !Task.isCancelled {
            let limit = max(lastGoodFrame ?? start, since) + policy.stallTimeout
            await SessionFault.stall.reached()
            do { try await clock.sleep(until: limit) } catch { return }
            if clock.now() - start >= policy.goodPeriod { await handle(.goodPeriod) }
            guard max(lastGoodFrame ?? start, since) + policy.stallTimeout <= clock.now() else { continue }
            // Who wakes so late has not run itself; once in a silence the camera gets the time again to show a frame.
            if clock.now() - limit > Self.watchLateness, since <= lastGoodFrame ?? start {
                since = clock.now()
                continue
            }
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
            await keep(kept)
        } catch .flaggedErroneous {
            counters.flaggedErroneous += 1
        } catch {
            counters.torn += 1
        }
        await expirePending()
        for capture in pending.values { capture.alarm?.ring() }
    }

    private func keep(_ frame: RingFrame) async {
        // That the ring has no room for it says nothing against the camera.
        if ring.newest.map({ $0.midExposure < frame.midExposure }) ?? true {
            if lastGoodFrame == nil { reopening.noteOpening(clock.now() - openingBegan) }
            lastGoodFrame = clock.now()
        }
        guard ring.append(frame) else {
            counters.droppedByNode += 1
            return
        }
        counters.delivered += 1
        ringFrameAlarms()
        wakeClips(at: frame)
        record(frame)
        await use(frame)
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
        let closingBegan = clock.now()
        // A camera keeps its controls when it is closed.
        await undoSettings()
        await ended.stop()
        reopening.noteClosing(clock.now() - closingBegan)
        counters.add(ended.losses)
        stream = nil
        noteClosed()
        ringFrameAlarms()
        // Of a format switch, its own capture knows, which is alone.
        let interruption = Interruption(reason: why, began: ring.newest?.midExposure ?? clock.now())
        for key in pending.keys where machine.formatSwitch == nil { pending[key]?.note(interruption) }
        interruptClips(because: why)
        interruptRecordings(because: why)
        await handle(.closed)
    }

    func tell(_ key: CaptureKey, _ step: LifeCycleStep) async {
        await tell([.lifeCycle(key, step)])
    }

    var isRunning: Bool { machine.state == .running }
}
