public import CaptureModel

/// The state machine of one shot on the coordinator, from the first manifest to the last late file: events in, actions
/// out.
///
/// Pure: it reads no clock and does no I/O. `docs/design/shot.md` is its specification, with the tables of states. Feed
/// it `begin` first, and `deadlinePassed` whenever `nextDeadline` is reached.
public struct ShotMachine: Sendable {
    /// The known state of the shot. It is ahead of the disk by the changes of at most two writes.
    public internal(set) var shot: Shot
    public internal(set) var stage: ShotStage
    /// The newest manifest known to be durable.
    public internal(set) var durableShot: Shot?
    /// The answer to the client; nil before it.
    public internal(set) var answeredShot: Shot?
    public internal(set) var schedule: ShotSchedule
    /// The refusal to the client if its timeout passed before a first manifest was durable. The shot takes no picture,
    /// and the next durable manifest records whether the library has it.
    public internal(set) var givenUp: RigProblem?
    /// Whether the client's timeout has passed. A repeated request is answered at once with what is known.
    public internal(set) var isOverdue = false

    let indices: [DeviceID: Int]
    /// Whether T is an instant of the rig's present time line, which a reboot of the coordinator ends.
    let isTimeValid: Bool
    var hasBegun = false
    var connected: Set<NodeName>
    /// Cameras whose node connected in another run after they had been armed.
    var restarted: Set<DeviceID> = []
    /// The manifest whose write is outstanding.
    var writing: Shot?
    var hasWritten = false
    /// Whether `shot` has changes that are in no manifest yet.
    var isDirty: Bool
    var writeRetry: RigTime?
    /// The delay after failed writes.
    var writeDelay: RetryDelay
    /// When waiting changes are written at the latest.
    var writeDue: RigTime?
    var repetition: RigTime?
    /// Files whose release has been issued, so that a later manifest does not issue it again.
    var released: Set<FileKey> = []
    /// Files whose failure the node has been told to forget.
    var forgotten: Set<FileKey> = []
    /// When nodes are next asked for files that they owe.
    var owedDue: RigTime?
    var settledRevision: Int?
    /// Whether the beginning of a take was reported.
    var hasToldBeginning = false
    /// Whether nodes may learn of a take's stop.
    var hasToldStop = false
    /// The number of marks that were reported.
    var toldMarks = 0
    /// The steps last shown in progress, parallel to the captures.
    var shown: [ShotProgressReport.Step]
    var actions: [ShotAction] = []

    /// Starts a new shot.
    /// - Parameter connected: The connected nodes. Captures of others are missed at once.
    public init(taking shot: Shot, connected: Set<NodeName>, schedule: ShotSchedule) {
        self.init(shot, connected: connected, schedule: schedule, stage: .recording, isTimeValid: true)
        isDirty = true
    }

    /// Resumes a shot from its manifest, after a restart of the coordinator or because a node's inventory names it. No
    /// node counts as connected before its `nodeConnected`.
    /// - Parameters:
    ///   - rigClock: The rig's present time line. If it is not the shot's, nothing is prepared or fired.
    ///   - schedule: Counted from the restart.
    public init(resuming shot: Shot, rigClock: RigClockID, schedule: ShotSchedule) {
        let open = shot.captures.filter { !$0.isSettled }
        let hasFired = shot.captures.contains { [.captured, .done, .partial, .failed].contains($0.phase) }
        let isArmed = open.allSatisfy { $0.phase == .armed }
        self.init(
            shot, connected: [], schedule: schedule, stage: hasFired || isArmed ? .resolving : .arming,
            isTimeValid: shot.rigClock == rigClock)
        durableShot = shot
        released = Set(
            shot.captures.flatMap { capture in capture.files.filter(\.isStored).map { key(capture, $0.kind) } })
        forgotten = Set(
            shot.captures.flatMap { capture in capture.files.filter(\.isToldFailed).map { key(capture, $0.kind) } })
        if shot.status != .open || shot.answeredAt != nil { answeredShot = shot }
        guard shot.status != .open else { return }
        settledRevision = shot.revision
        hasToldBeginning = true
        hasToldStop = shot.take?.stopTime != nil
        toldMarks = shot.take?.marks.count ?? 0
    }

    private init(
        _ shot: Shot, connected: Set<NodeName>, schedule: ShotSchedule, stage: ShotStage, isTimeValid: Bool
    ) {
        self.shot = shot
        self.connected = connected
        self.schedule = schedule
        writeDelay = RetryDelay(
            first: schedule.repeatInterval, last: max(schedule.repeatInterval, .seconds(30)))
        self.stage = stage
        self.isTimeValid = isTimeValid
        isDirty = false
        indices = Dictionary(
            shot.captures.enumerated().map { ($1.device.id, $0) }, uniquingKeysWith: { first, _ in first })
        shown = shot.captures.map { ShotProgressReport.Step(phase: $0.phase) }
    }

    /// Whether nothing is left to do: settled, answered and durable. A later inventory may still name the shot; resume
    /// it then.
    public var isFinished: Bool {
        hasBegun && !isDirty && writing == nil && answeredShot != nil && shot.status != .open
    }

    /// Whether the shot has outstanding outcomes, or was given up and no durable manifest says so yet.
    public var isOpen: Bool {
        shot.status == .open || givenUp != nil && (durableShot?.status ?? .open) == .open
    }

    /// Handles one event.
    /// - Parameter now: The present on the shot's time line.
    /// - Returns: The actions, in order.
    public mutating func handle(_ event: ShotEvent, at now: RigTime) -> [ShotAction] {
        apply(event, at: now)
        advance(at: now)
        defer { actions = [] }
        return actions
    }

    private mutating func apply(_ event: ShotEvent, at now: RigTime) {
        switch event {
        case .begin: begin(at: now)
        case .manifestDurable(let revision): manifestDurable(revision, at: now)
        case .manifestFailed(let revision, let problem): manifestFailed(revision, problem, at: now)
        case .armed(let device, let resolved): armed(device, resolved, at: now)
        case .refused(let device, let problem): refused(device, problem)
        case .captured(let report): captured(report)
        case .captureMissed(let device, let problem): captureMissed(device, problem)
        case .stored(let key, let path, let instant): stored(key, path: path, at: instant)
        case .storingFailed(let key, let problem): storingFailed(key, problem)
        case .nodeConnected(let node, let epochChanged, let inventory):
            nodeConnected(node, epochChanged: epochChanged, inventory: inventory, at: now)
        case .nodeDisconnected(let node): connected.remove(node)
        case .offered(let report): offered(report)
        case .discarded(let device, let problem): discarded(device, problem)
        case .deadlinePassed: deadlinePassed(at: now)
        case .cancelRequested: cancelAll(because: "it was cancelled on request")
        case .awaited(let deadline): if schedule.answerDeadline == nil { schedule.answerDeadline = deadline }
        case .stopRequested(let time): stop(at: time)
        case .marked(let mark): set(mark)
        }
    }

    /// Applies the consequences of an event, in the order of their dependencies.
    private mutating func advance(at now: RigTime) {
        guard hasBegun else { return }
        cancelUnlessAllArm()
        fireIfAllAnswered(at: now)
        updateStatus(at: now)
        showProgress()
        reportBeginning()
        tellStop(at: now)
        tellMarks()
        reportFinished()
        writeManifestIfNeeded(at: now)
    }

    private mutating func begin(at now: RigTime) {
        guard !hasBegun else { return }
        hasBegun = true
        for index in shot.captures.indices where isAwaited(index) {
            let node = shot.captures[index].device.id.node
            if !isTimeValid {
                miss(
                    index,
                    .init(.nodeUnreachable, "The coordinator's machine restarted before node '\(node)' had reported."))
            } else if stage == .recording, !connected.contains(node) {
                miss(
                    index,
                    .init(.nodeUnreachable, "Node '\(node)' is not connected; start its agent or check its network."))
            } else if shot.captures[index].phase == .armed {
                change(index) { $0.phase = .preparing }
            }
        }
    }
}
