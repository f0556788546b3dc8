import CameraKit
import CaptureModel
import FaultPoints
import PosixSupport

/// What a session owns: its device, its state machine, the stream and the ring; and what it tells of them.
///
/// It is not `Sendable`: its ``CaptureSession``, an actor, is the only one that has it, and hands it to its outputs as
/// ``SessionAccess``. So everything here and in the outputs runs on the session's thread, and the compiler checks that.
/// Extensions carry out what the machine decides (`+Machine`), open the camera and take its frames (`+Stream`), and say how
/// the session stands (`+Condition`).
final class SessionCore: SessionAccess {
    /// Whether ``CaptureSession/run()`` executes; without it nothing opens the hardware.
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
    var stream: OpenStream?
    var ring: FrameRing
    var measuredInterval = FrameInterval(nominal: .zero)
    var knowledge = DeviceKnowledge()
    var counters = FrameCounters()
    /// What the camera is asked for while it is away from the session's format.
    var photoRequest = FormatRequest()
    /// Demands that have ended while captures were under way: they count until those have their outcome.
    var lingering: Set<SessionDemand> = []
    /// The condition as it was last told.
    var told: (state: DeviceCondition.State, reason: String?) = (.starting, nil)

    /// When the machine is to be told that its wait is over.
    var retryAt: LocalTime?
    /// Wakes who serves the hardware, between two streams.
    let wake: Alarm
    /// Ends the stream that runs; each has its own, since an alarm whose waiter was cancelled waits no more.
    var closing: Alarm
    /// Those who wait for a start, stop or resume to come to its end.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// In the order in which they are called; set once, when all of them are made.
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

    /// Has outputs called from here on.
    func attach(_ outputs: [any CaptureOutput]) { self.outputs += outputs }

    var setup: SessionSetup { sharedSetup.withLock { $0 } }
    var isServing: Bool { service == .running }
    var interval: Duration { measuredInterval.value }

    func pin(_ key: CaptureKey, window: ClosedRange<LocalTime>) { ring.pin(key, window: window) }
    func unpin(_ key: CaptureKey) { ring.unpin(key) }

    var isStreamNeeded: Bool { outputs.contains(where: \.needsStream) }
    var capturesUnderWay: [CaptureKey] { outputs.flatMap(\.capturesUnderWay).sorted() }

    func start(_ key: CaptureKey, for output: any CaptureOutput) { work.add(key, ObjectIdentifier(output)) }

    /// Does a piece of work that an output has asked for.
    func perform(_ item: OutputWork.Item, telling tell: @escaping @Sendable (SessionEvent) async -> Void) async {
        guard let output = outputs.first(where: { ObjectIdentifier($0) == item.output }) else { return }
        await output.perform(item.key, telling: tell)
    }

    /// Lets outputs do what an instant or a frame asks of them.
    func updateOutputs() async {
        for output in outputs { await output.update() }
    }

    func offers() async throws(CaptureProblem) -> [FormatOffer] {
        if let known = knowledge.offers { return known }
        let device = device.id
        do throws(CameraError) {
            let offers = try await setup.input.device.camera.capabilities().formats
            // Another camera may have taken its place meanwhile.
            if device == self.device.id { knowledge.offers = offers }
            return offers
        } catch {
            throw CaptureProblem(.notRunning, "\(device): what it offers cannot be read: \(error.reason)")
        }
    }

    /// Learns what the device offers, where larger stills are enabled, so that it is known before one is asked for.
    func learnOffers() async {
        // Where the device does not tell, a shot's refusal says why.
        if setup.input.maxPhotoDimensions != nil { _ = try? await offers() }
    }

    // MARK: Waiting

    /// Returns when no attempt is under way and what came of it has been told.
    func settle() async {
        let isSettled = { [self] in !isServing || (machine.isSettled && events.isIdle) }
        while !isSettled() { await wait(unless: isSettled) }
    }

    /// Returns when something has changed that somebody may wait for; at once where what is waited for is there. The look and
    /// the waiting are one step.
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
