import CaptureModel
import ShotDocuments
import ShotLogic

/// A shot in progress, with the clients that wait for it.
///
/// | a client waits for | it is answered when |
/// |---|---|
/// | the outcome | the shot has one |
/// | a take's beginning | every camera records or has failed, or that is overdue |
/// | a take's end, which it has requested | the take has an outcome. Its next request replaces this one |
/// | a mark | the next event of the shot has been handled; then it looks again |
///
/// Each gets notices of the progress until then; they are bounded, and the oldest is dropped first. The answer is last and always fits. If a
/// shot is given up, all are refused.
struct ShotInProgress: Sendable {
    /// Limit on the clients that wait for one shot. Further ones are refused.
    static let watcherLimit = 32

    private var current: ShotMachine
    /// Whether the shot had its result, and is in progress again because of files that nodes still have.
    let isLate: Bool
    /// Devices left out when the cameras were chosen; nil also if the shot was resumed from the library.
    private let leftOut: LeftOutDevices?
    /// The manifest from which the shot was resumed, until this process has written the next one.
    private var takenUp: StoredManifest?
    /// The latest instant of the answer, except for clients that requested a take's end; nil for no limit.
    private var answerDue: LocalTime?
    /// Whether its files are fetched before those that nobody waits for.
    private var isPrioritized = false
    /// Whether this run has counted the shot's result.
    private var isCounted = false
    private var watchers: [AsyncStream<ShotNotice>.Continuation] = []
    /// Clients that requested a take's end. A take may last for hours, so a client that repeats its request replaces the earlier one.
    private var stoppers: [RequesterToken: AsyncStream<ShotNotice>.Continuation] = [:]
    /// Clients that wait for a take's beginning.
    private var starters: [AsyncStream<ShotNotice>.Continuation] = []
    /// Clients that have set marks which are in no durable manifest yet; at most ``watcherLimit``.
    private var markers: [CheckedContinuation<Void, Never>] = []

    /// A shot that a client has triggered.
    init(machine: ShotMachine, leftOut: LeftOutDevices?, answerDue: LocalTime?) {
        current = machine
        self.leftOut = leftOut
        self.answerDue = answerDue
        isLate = false
    }

    /// A shot of the library.
    /// - Parameter manifest: The document from which the shot was read.
    init(resuming machine: ShotMachine, from manifest: StoredManifest?) {
        current = machine
        takenUp = manifest
        isLate = machine.shot.status != .open
        leftOut = nil
    }

    /// The machine as it is.
    var machine: ShotMachine { current }

    var shot: Shot { current.shot }

    /// Whether the shot waits for its first result.
    var isUnderWay: Bool { !isLate && machine.isOpen }

    /// Whether the machine has nothing left to do, and nobody waits for the shot.
    var isFinished: Bool { machine.isFinished && !isWatched }

    /// Whether anybody waits for the shot's outcome.
    var isWatched: Bool { !watchers.isEmpty || !stoppers.isEmpty }

    // MARK: The machine

    /// Passes an event to the machine, and tells the clients that wait.
    /// - Returns: The actions of the machine, in their order.
    mutating func handle(_ event: ShotEvent, at now: RigTime) -> [ShotAction] {
        let actions = current.handle(event, at: now)
        if case .manifestDurable = event { takenUp = nil }
        for action in actions { tellWatchers(action) }
        return actions
    }

    private mutating func tellWatchers(_ action: ShotAction) {
        switch action {
        case .progress(let progress): tell(progress)
        case .answer(let shot): answer(shot)
        case .giveUp(let problem): end(with: .refused(problem))
        case .overdue(let shot): tellBeginning(shot)
        case .began(let shot): tellBeginning(shot)
        // A client that requests the end of a take that had settled, and that a node has reopened, waits for this.
        case .finished(let shot): answer(shot)
        default: break
        }
    }

    /// Notes that the shot has a result.
    /// - Returns: Whether it is its first one, which is counted. Later ones are improvements of it, also those of a shot that had its result
    ///   before this run.
    mutating func noteResult() -> Bool {
        guard !isLate, !isCounted else { return false }
        isCounted = true
        return true
    }

    /// Returns whether the files of the shot are fetched before others, if that has changed.
    mutating func changedPriority() -> Bool? {
        guard isWatched != isPrioritized else { return nil }
        isPrioritized = isWatched
        return isPrioritized
    }

    // MARK: Clients

    /// Waits for the outcome.
    /// - Parameters:
    ///   - untilBeginning: Whether a take's beginning is the answer.
    ///   - due: The latest instant of the answer, for all clients from here on; nil: as before.
    /// - Returns: nil if too many clients wait already.
    mutating func watch(untilBeginning: Bool = false, due: LocalTime? = nil) -> AsyncStream<ShotNotice>? {
        if let due { answerDue = due }
        guard waiting.count < Self.watcherLimit else { return nil }
        let (notices, watcher) = begin(answerDue)
        if untilBeginning { starters.append(watcher) } else { watchers.append(watcher) }
        return notices
    }

    /// Waits for the end of a take for a requester's newest request. The earlier request is refused.
    /// - Returns: nil if too many other clients wait already.
    mutating func watchEnd(for requester: RequesterToken) -> AsyncStream<ShotNotice>? {
        if let earlier = stoppers.removeValue(forKey: requester) {
            earlier.yield(.refused(Self.askedAgain(machine.shot.id)))
            earlier.finish()
        }
        guard waiting.count < Self.watcherLimit else { return nil }
        let (notices, watcher) = begin(nil)
        stoppers[requester] = watcher
        return notices
    }

    /// The number of clients that wait for a take's end which they have requested.
    var stopperCount: Int { stoppers.count }

    /// The number of clients that wait for marks.
    var markerCount: Int { markers.count }

    var hasRoomForMarker: Bool { markers.count < Self.watcherLimit }

    /// Has a client wait until the next event of the shot has been handled.
    mutating func addMarker(_ marker: CheckedContinuation<Void, Never>) { markers.append(marker) }

    /// Wakes the clients that wait for a mark.
    mutating func wakeMarkers() {
        let waiting = markers
        markers = []
        for marker in waiting { marker.resume() }
    }

    /// Returns the answer with a revision of the shot.
    func answered(_ shot: Shot) -> AnsweredShot {
        AnsweredShot(shot: shot, manifest: takenUp?.shot == shot ? takenUp : nil, leftOut: leftOut)
    }

    /// All clients that receive notices of the shot.
    private var waiting: [AsyncStream<ShotNotice>.Continuation] { watchers + starters + stoppers.values }

    private func begin(_ answerDue: LocalTime?) -> (AsyncStream<ShotNotice>, AsyncStream<ShotNotice>.Continuation) {
        let (notices, watcher) = AsyncStream.makeStream(of: ShotNotice.self, bufferingPolicy: .bufferingNewest(16))
        // Shows that the shot is accepted, so that a slow one is not mistaken for a dead coordinator.
        watcher.yield(notice(of: machine.progress, answerDue))
        return (notices, watcher)
    }

    private static func askedAgain(_ take: ShotID) -> RigProblem {
        RigProblem(
            .conflict,
            "this client has asked for the end of take \(take) again; the later request is answered")
    }

    private func tell(_ progress: ShotProgressReport) {
        for watcher in watchers + starters { watcher.yield(notice(of: progress, answerDue)) }
        for stopper in stoppers.values { stopper.yield(notice(of: progress, nil)) }
    }

    private func notice(of progress: ShotProgressReport, _ answerDue: LocalTime?) -> ShotNotice {
        .progress(progress, machine.shot, answerDue: answerDue)
    }

    /// Answers all clients.
    private mutating func answer(_ shot: Shot) { end(with: .answer(answered(shot))) }

    /// Sends all clients their last notice.
    private mutating func end(with notice: ShotNotice) {
        for watcher in waiting {
            watcher.yield(notice)
            watcher.finish()
        }
        (watchers, starters, stoppers) = ([], [], [:])
    }

    /// Answers the clients that wait for a take's beginning.
    private mutating func tellBeginning(_ shot: Shot) {
        for starter in starters {
            starter.yield(.answer(answered(shot)))
            starter.finish()
        }
        starters = []
    }
}
