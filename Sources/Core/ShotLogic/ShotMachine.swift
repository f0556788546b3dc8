public import CaptureModel

/// The life of one shot on the coordinator, from the first manifest to the last late file: events in, actions out.
///
/// Pure: it reads no clock and does no I/O. Its specification, with the tables of states, is `docs/design/shot.md`.
/// Feed it `begin` first, and `deadlinePassed` whenever `nextDeadline` is reached.
public struct ShotMachine: Sendable {
    /// The shot as it is known; ahead of the disk by the changes of at most two writes.
    public internal(set) var shot: Shot
    public internal(set) var stage: ShotStage
    /// The newest manifest known to be durable.
    public internal(set) var durableShot: Shot?
    /// What the client was told, once it was.
    public internal(set) var answeredShot: Shot?
    public internal(set) var schedule: ShotSchedule
    /// What the client was told where its timeout passed before a first manifest was durable: the shot takes no picture, and
    /// whether the library has it is told by the next durable manifest.
    public internal(set) var givenUp: CaptureProblem?
    /// Whether the client's timeout has passed: who asks again is told at once what is known.
    public internal(set) var isOverdue = false

    let indices: [DeviceID: Int]
    /// Whether T is still an instant of the rig; a reboot of the coordinator ends it.
    let isTimeValid: Bool
    var hasBegun = false
    var connected: Set<NodeName>
    /// Cameras whose node came back in another life after they had been armed.
    var restarted: Set<DeviceID> = []
    /// The manifest whose write is outstanding.
    var writing: Shot?
    var hasWritten = false
    /// Whether `shot` holds changes that are in no manifest yet.
    var isDirty: Bool
    var writeRetry: RigTime?
    /// After writes that failed.
    var writeDelay: RetryDelay
    /// When changes that wait for others are written all the same.
    var writeDue: RigTime?
    var repetition: RigTime?
    /// Files whose release has been issued, so that a further manifest does not issue it again.
    var released: Set<FileKey> = []
    /// Files whose failure the node has been told to forget.
    var forgotten: Set<FileKey> = []
    /// When nodes are asked next for files they owe.
    var owedDue: RigTime?
    var settledRevision: Int?
    /// Whether it was told that a take has begun.
    var hasToldBeginning = false
    /// Whether nodes may hear of a take's stop.
    var hasToldStop = false
    /// The marks that were told to be set.
    var toldMarks = 0
    /// The phases last shown in progress, parallel to the captures.
    var shown: [Capture.Phase]
    var actions: [ShotAction] = []

    /// Takes on a fresh shot.
    /// - Parameter connected: the nodes that are connected; captures of others are missed at once.
    public init(taking shot: Shot, connected: Set<NodeName>, schedule: ShotSchedule) {
        self.init(shot, connected: connected, schedule: schedule, stage: .recording, isTimeValid: true)
        isDirty = true
    }

    /// Goes on with a shot as its manifest tells it, after a restart of the coordinator or because a node's inventory
    /// names it. No node counts as connected until `nodeConnected` says so.
    /// - Parameters:
    ///   - rigClock: the rig's present time line; where it is not the shot's, nothing is prepared or fired any more.
    ///   - schedule: counted from the restart.
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
        shown = shot.captures.map(\.phase)
    }

    /// Whether nothing is left to do: settled, answered and durable. A later inventory may still name the shot; resume
    /// it then.
    public var isFinished: Bool {
        hasBegun && !isDirty && writing == nil && answeredShot != nil && shot.status != .open
    }

    /// Whether it has outcomes outstanding, or was given up and no durable manifest says so yet.
    public var isOpen: Bool {
        shot.status == .open || givenUp != nil && (durableShot?.status ?? .open) == .open
    }

    /// Takes one event.
    /// - Parameter now: the present on the shot's time line.
    /// - Returns: what to do, in order.
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
        case .reportRejected(let device, let problem): reportRejected(device, problem)
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

    /// Draws the consequences of an event, in the order in which they depend on one another.
    private mutating func advance(at now: RigTime) {
        guard hasBegun else { return }
        cancelUnlessAllArm()
        fireIfAllAnswered(at: now)
        settle(at: now)
        reportBeginning()
        tellStop(at: now)
        tellMarks()
        reportSettled()
        writeManifestIfNeeded(at: now)
        showProgress()
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
