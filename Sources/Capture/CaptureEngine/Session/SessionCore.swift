import CameraKit
import CaptureModel
import FaultPoints
import PosixSupport

/// The possessions of a session: its device, its state machine, the stream and the ring; and their reports.
///
/// It is not `Sendable`: only its ``CaptureSession``, an actor, has it, and passes it to its outputs as
/// ``SessionAccess``. So everything here and in the outputs runs on the session's thread, and the compiler checks that.
/// Extensions carry out the machine's decisions (`+Machine`), and open the camera and process its frames (`+Stream`).
final class SessionCore: SessionAccess {
    /// Whether ``CaptureSession/run()`` executes. Otherwise nothing opens the hardware.
    enum Service {
        case notBegun, running, ended
    }

    let services: SessionServices
    let policy: SessionPolicy
    let sharedSetup: Locked<SessionSetup>
    let events: EventQueue
    let work = OutputWork()

    var machine: SessionMachine
    var service = Service.notBegun
    /// Whether the session is being ended, because its ``CaptureSession/run()`` was cancelled. The tasks of the session see their own
    /// cancellation one after the other, so the first one that acts on it sets this for the others.
    private(set) var isShuttingDown = false
    /// Whether a configuration is being committed.
    var isCommitting = false
    var stream: OpenStream?
    var ring: FrameRing
    var measuredInterval = FrameInterval(nominal: .zero)
    /// Whether the open stream is as fast as its format states.
    var rateWatch = RateWatch(stated: .zero)
    var knowledge = KnownDevice()
    var counters = FrameCounters()
    /// The format requested from the camera while it is away from the session's format.
    var photoRequest = FormatRequest()
    /// Demands that ended while captures were in progress. They count until those have their outcome.
    var lingering: Set<SessionDemand> = []
    /// The last reported condition.
    var told: (state: DeviceCondition.State, reason: String?) = (.starting, nil)

    /// When to report to the machine that its wait is over.
    var retryAt: LocalTime?
    /// Wakes the task that serves the hardware, between two streams.
    let wake: Alarm
    /// Ends the running stream. Each stream has a separate one, because an alarm whose waiter was cancelled cannot be
    /// awaited again.
    var closing: Alarm
    /// The callers that wait for a start, stop or resume to end.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// In the order in which they are called. Set once, when all of them are created.
    private(set) var outputs: [any CaptureOutput] = []

    init(_ setup: Locked<SessionSetup>, policy: SessionPolicy, services: SessionServices) {
        self.services = services
        self.policy = policy
        sharedSetup = setup
        events = EventQueue(observer: services.observer)
        machine = SessionMachine(limits: policy.limits)
        ring = FrameRing(depth: policy.ringDepth, byteLimit: policy.ringByteLimit)
        wake = Alarm(clock: services.clock)
        closing = Alarm(clock: services.clock)
    }

    /// Attaches the outputs, which are called from here on.
    func attach(_ outputs: [any CaptureOutput]) { self.outputs += outputs }

    var setup: SessionSetup { sharedSetup.withLock { $0 } }
    var isServing: Bool { service == .running }
    var interval: Duration { measuredInterval.value }

    func pin(_ key: CaptureKey, window: ClosedRange<LocalTime>) { ring.pin(key, window: window) }
    func unpin(_ key: CaptureKey) { ring.unpin(key) }

    /// Notes that the session is being ended, if the calling task was cancelled.
    /// - Returns: Whether it was.
    @discardableResult
    func noteCancellation() -> Bool {
        guard Task.isCancelled else { return false }
        isShuttingDown = true
        return true
    }

    var isStreamNeeded: Bool { outputs.contains(where: \.needsStream) }

    func isStreamNeeded(besides output: any CaptureOutput) -> Bool {
        outputs.contains { $0 !== output && $0.needsStream }
    }

    var capturesUnderWay: [CaptureKey] { outputs.flatMap(\.capturesUnderWay).sorted() }

    func start(_ key: CaptureKey, for output: any CaptureOutput) { work.add(key, ObjectIdentifier(output)) }

    /// Performs work that an output has requested.
    func perform(_ item: OutputWork.Item, telling tell: @escaping @Sendable (SessionEvent) async -> Void) async {
        guard let output = outputs.first(where: { ObjectIdentifier($0) == item.output }) else { return }
        await output.perform(item.key, telling: tell)
    }

    /// Lets outputs do the work that is due at an instant or after a frame.
    func updateOutputs() async {
        for output in outputs { await output.update() }
    }

    func offers() async throws(RigProblem) -> [FormatOffer] {
        if let known = knowledge.offers { return known }
        let device = device.id
        do throws(CameraError) {
            let offers = try await setup.input.device.camera.capabilities().formats
            // Another camera may have replaced it since.
            if device == self.device.id { knowledge.offers = offers }
            return offers
        } catch {
            throw RigProblem(.notRunning, "\(device): what it offers cannot be read: \(error.reason)")
        }
    }

    /// Asks what the device offers, if larger stills are enabled, so that it is known before one is requested.
    func learnOffers() async {
        // If the device does not report it, a shot's refusal says why.
        if setup.input.maxPhotoDimensions != nil { _ = try? await offers() }
    }

    // MARK: Waiting

    /// Returns when no attempt is in progress and its outcome has been reported.
    func waitUntilIdle() async {
        let isSettled = { [self] in !isServing || (machine.isIdle && events.isIdle) }
        while !isSettled() { await wait(unless: isSettled) }
    }

    /// Returns when something has changed that a caller may wait for; at once if the awaited state is reached. The
    /// check and the wait are one step.
    func wait(unless isThere: () -> Bool) async {
        await withCheckedContinuation { waiter in
            if isThere() { waiter.resume() } else { waiters.append(waiter) }
        }
    }

    func wakeWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}

/// The state of the session, for the rig and for people.
extension SessionCore {
    /// What the device is doing.
    var condition: DeviceCondition {
        var total = counters
        total.add(stream?.stream.losses ?? FrameCounters())
        return DeviceCondition(
            state: deviceState, reason: reason ?? remark, format: stream?.format, counters: total, phase: phase,
            stamps: setup.input.device.camera.stamps, session: sessionCondition)
    }

    private var phase: FramePhase? {
        guard isRunning, let newest = ring.newest, ring.count > 1,
            let rig = rigClock.rigTime(at: newest.midExposure)
        else { return nil }
        // The interval was measured by this node's clock, whose rate the estimate knows.
        let span = Duration.seconds(1)
        guard let later = rigClock.rigTime(at: newest.midExposure + span) else { return nil }
        func perInterval(_ duration: Duration) -> Duration { duration * (measuredInterval.value / span) }
        return FramePhase(
            midExposure: rig.time, periodNanoseconds: perInterval(later.time - rig.time).nanoseconds,
            bound: rig.bound + newest.stampBound,
            periodBound: measuredInterval.error + perInterval(max(.zero, later.bound - rig.bound)))
    }

    private var deviceState: DeviceCondition.State {
        switch machine.state {
        case .stopped where isAboutToStart: .starting
        case .stopped, .stopping: .stopped
        case .starting: .starting
        case .running: .running
        // It returns on its own, and nothing is wrong with it.
        case .interrupted(.largerPhoto, _): .starting
        case .interrupted(.deviceAbsent, _): .absent
        case .interrupted(.inUseByAnotherClient, _): .busy
        case .interrupted(.accessRevoked, _), .notAuthorized: .denied
        case .restarting(_, let trouble) where trouble.kind == .stall: .stalled
        case .interrupted(.nodeSuspended, _): .stalled
        case .interrupted(.systemPressure, _): .stopped
        case .interrupted(.noBandwidth, _), .restarting, .configurationFailed, .failed: .failed
        }
    }

    /// Whether only the start of ``CaptureSession/run()`` is missing.
    private var isAboutToStart: Bool { !isServing && !machine.isHeld && policy.standby == .always }

    /// A sentence that says why it does not run and what to do; nil if it runs or starts.
    private var reason: String? {
        switch machine.state {
        case .running, .starting: nil
        case .stopped where isAboutToStart: nil
        case .stopping: "the session is being stopped"
        case .stopped where machine.isHeld:
            "the session was stopped; start it with `capctl session start \(device.id)`"
        case .stopped:
            "the camera is on standby and nothing needs it; start it with `capctl session start \(device.id)`"
        case .interrupted(_, let why), .notAuthorized(_, let why): why
        case .restarting(let attempt, let trouble):
            "\(trouble); attempt \(attempt) of \(machine.limits.failures) to start it again"
        // The cause already contains the step.
        case .configurationFailed(_, let cause): cause
        case .failed(let why):
            "\(why); it has failed too often in a row and is not tried again by itself: remove the cause, then `capctl resume \(device.id)`"
        }
    }

    /// A sentence about a camera that runs, but not as its format says; otherwise nil.
    private var remark: String? { isRunning ? rateWatch.remark(on: device.id) : nil }

    var stateDescription: String { reason ?? "the camera is \(deviceState.rawValue)" }

    /// The condition with the requests that the outputs accept.
    var sessionCondition: SessionCondition {
        var condition = SessionCondition(
            phase: machine.state.phase, interruption: machine.state.interruption, authorization: machine.authorization,
            attempt: machine.state.attempt, failedStep: machine.state.failedStep, demands: machine.demands.sorted(),
            isHeld: machine.isHeld, cost: cost)
        condition.abilities.switchInput = switchAbility
        for output in outputs { output.describe(&condition) }
        return condition
    }

    private var switchAbility: SessionAbilities.Ability {
        guard isRunning else { return .refused(stateDescription) }
        return isStreamNeeded ? .refused("captures are under way") : .allowed
    }

    /// The cost of the camera while it runs; nil if its format is unknown before it has run, or if there is no camera.
    var cost: SessionCost? {
        if case .interrupted(.deviceAbsent, _) = machine.state { return nil }
        guard let format = stream?.format ?? plannedFormat else { return nil }
        let newest = stream == nil ? nil : ring.newest?.byteCount
        return SessionCostEstimate.cost(of: format, policy: policy, bytesPerFrame: newest, bus: knowledge.bus)
    }

    /// The format that will be requested, if the configuration defines enough of it.
    private var plannedFormat: VideoFormat? { setup.format.flatMap(SessionCostEstimate.plannedFormat) }
}
