public import CaptureModel

/// The state machine of one shot on the coordinator, from the first manifest to the last late file: events in, actions
/// out.
///
/// Pure: it reads no clock and does no I/O. `docs/design/shot.md` is its specification, with the tables of states. Feed
/// it `begin` first, and `deadlinePassed` whenever `nextDeadline` is reached.
public struct ShotMachine: Sendable {
    private var stage: ShotStage
    private var hasBegun = false
    private var known: KnownShot
    private var journal: ManifestJournal
    private var client: ClientAnswer
    private var requests: NodeRequests
    private var releases: ReleaseLedger
    private var announcements: ShotAnnouncements
    private var shown: ShownProgress
    private var actions: [ShotAction] = []
    private let schedule: ShotSchedule

    /// Starts a new shot.
    /// - Parameter connected: The connected nodes. Captures of others are missed at once.
    public init(taking shot: Shot, connected: Set<NodeName>, schedule: ShotSchedule) {
        stage = .recording
        known = KnownShot(shot, isWritten: false, isTimeValid: true)
        journal = ManifestJournal(schedule: schedule)
        client = ClientAnswer(timeout: schedule.answerDeadline)
        requests = NodeRequests(of: shot, connected: connected, schedule)
        releases = ReleaseLedger()
        announcements = ShotAnnouncements()
        shown = ShownProgress(of: shot)
        self.schedule = schedule
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
        let isAnswered = shot.status != .open || shot.answeredAt != nil
        stage = hasFired || isArmed ? .resolving : .arming
        known = KnownShot(shot, isWritten: true, isTimeValid: shot.rigClock == rigClock)
        journal = ManifestJournal(durable: shot, schedule: schedule)
        client = ClientAnswer(answered: isAnswered ? shot : nil, timeout: schedule.answerDeadline)
        requests = NodeRequests(of: shot, connected: [], schedule)
        releases = ReleaseLedger(durable: shot)
        announcements = ShotAnnouncements(durable: shot)
        shown = ShownProgress(of: shot)
        self.schedule = schedule
    }

    /// The known state of the shot. It is ahead of the disk by the changes of at most two writes.
    public var shot: Shot { known.shot }

    /// The newest manifest known to be durable.
    public var durableShot: Shot? { journal.durable }

    /// The answer to the client; nil before it.
    public var answeredShot: Shot? { client.shot }

    /// The refusal to the client if its timeout passed before a first manifest was durable. The shot takes no picture,
    /// and the next durable manifest records whether the library has it.
    public var givenUp: RigProblem? { client.problem }

    /// Whether the client's timeout has passed. A repeated request is answered at once with what is known.
    public var isOverdue: Bool { client.isOverdue }

    /// When the client stops waiting, for a take: for its beginning. nil waits until the shot is settled.
    public var answerDeadline: RigTime? { client.deadline }

    /// Until when nodes keep their pins at least.
    public var resolutionDeadline: RigTime { schedule.resolutionDeadline }

    /// When a take's recordings end, when nodes may learn of it.
    public var toldStop: RigTime? { announcements.toldStop(of: shot) }

    /// The progress of the shot, as it was last shown.
    public var progress: ShotProgressReport { shown.report(stage) }

    /// Whether nothing is left to do: settled, answered and durable. A later inventory may still name the shot; resume
    /// it then.
    public var isFinished: Bool {
        hasBegun && !known.hasUnwrittenChanges && !journal.isWriting && client.shot != nil && shot.status != .open
    }

    /// Whether the shot has outstanding outcomes, or was given up and no durable manifest says so yet.
    public var isOpen: Bool {
        shot.status == .open || client.problem != nil && (journal.durable?.status ?? .open) == .open
    }

    /// When to call `handle(.deadlinePassed, at:)` next; nil if only other events can change anything.
    public var nextDeadline: RigTime? {
        guard hasBegun else { return nil }
        return [
            journal.nextDeadline, client.nextDeadline, stage == .arming ? schedule.armDeadline : nil,
            stage == .resolving && known.captures.contains(where: \.isAwaited) ? schedule.resolutionDeadline : nil,
            requests.nextDeadline(unanswered: unanswered, owing: stage == .resolving ? owing : []),
            announcements.untoldStop(of: shot),
        ].compactMap(\.self).min()
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
        case .stored(let key, let path, let instant):
            known.stored(key, path: path, at: instant, isLate: client.shot != nil)
        case .storingFailed(let key, let problem): known.storingFailed(key, problem)
        case .nodeConnected(let node, let epochChanged, let inventory):
            nodeConnected(node, epochChanged: epochChanged, inventory: inventory, at: now)
        case .nodeDisconnected(let node): requests.disconnect(node)
        case .offered(let report): offered(report)
        case .discarded(let device, let problem): known.discarded(device, problem)
        case .deadlinePassed: deadlinePassed(at: now)
        case .cancelRequested: cancelAll(because: "it was cancelled on request")
        case .awaited(let deadline): client.isAwaited(until: deadline)
        case .stopRequested(let time): stop(at: time)
        case .marked(let mark): known.set(mark)
        }
    }

    /// Applies the consequences of an event, in the order of their dependencies.
    private mutating func advance(at now: RigTime) {
        guard hasBegun else { return }
        cancelUnlessAllArm()
        fireIfAllAnswered(at: now)
        known.updateStatus(at: now)
        showProgress()
        actions += announcements.beginning(of: journal.durable)
        tellStop(at: now)
        actions += announcements.marks(of: journal.durable)
        reportFinished()
        writeManifestIfNeeded(at: now)
    }

    private mutating func begin(at now: RigTime) {
        guard !hasBegun else { return }
        hasBegun = true
        for place in known.places(where: \.isAwaited) {
            let node = known.captures[place].device.id.node
            if !known.isTimeValid {
                known.miss(
                    place,
                    .init(.nodeUnreachable, "The coordinator's machine restarted before node '\(node)' had reported."))
            } else if stage == .recording, !requests.reaches(node) {
                known.miss(
                    place,
                    .init(.nodeUnreachable, "Node '\(node)' is not connected; start its agent or check its network."))
            } else {
                known.disarm(place)
            }
        }
    }

    // MARK: Prepare, fire and cancel

    private mutating func armed(_ device: DeviceID, _ resolved: ResolvedPhotoSettings, at now: RigTime) {
        guard stage != .recording, let place = known.place(of: device) else { return }
        let capture = known.captures[place]
        switch capture.phase {
        case .preparing:
            known.arm(place, resolved)
            requests.armed(device)
            if stage == .resolving { actions += requests.fire([device], at: now) }
        case .missed where capture.resolved == nil || capture.isCancelled:
            // Its pins would use memory of the node's ring until they expire.
            actions += requests.cancel([device])
        case .armed, .captured, .done, .partial, .missed, .failed:
            break
        }
    }

    private mutating func refused(_ device: DeviceID, _ problem: RigProblem) {
        guard stage != .recording, let place = placeWithoutReport(of: device) else { return }
        guard requests.hasLostArming(of: device) else { return known.miss(place, problem.ofNode) }
        known.miss(
            place,
            .init(
                .agentRestarted,
                "The agent of node '\(device.node)' restarted after '\(device)' had been armed, and says: \(problem.message)"
            ))
    }

    /// Returns the place of a capture of which the node may still say that there is no picture.
    private func placeWithoutReport(of device: DeviceID) -> Int? {
        guard let place = known.place(of: device) else { return nil }
        return known.captures[place].isAwaited || known.captures[place].isProvisional ? place : nil
    }

    /// Fires when no answer is outstanding. With `requireAll`, waits until the arm deadline for an armed camera whose
    /// node is not connected.
    private mutating func fireIfAllAnswered(at now: RigTime) {
        guard stage == .arming, !known.captures.contains(where: { $0.phase == .preparing }) else { return }
        let isAllReachable = known.captures.allSatisfy { $0.phase != .armed || requests.reaches($0.device.id.node) }
        guard isAllReachable || !shot.request.requireAll else { return }
        startResolving(at: now)
    }

    private mutating func startArming(at now: RigTime) {
        stage = .arming
        guard now < schedule.armDeadline else {
            let problem = RigProblem(
                .inputOutput,
                "The coordinator's journal took longer than the time for arming; check its disk. Nothing was fired.")
            return missAwaited { _ in problem }
        }
        actions += requests.prepare(known.devices { $0.phase == .preparing }, at: now)
    }

    private mutating func startResolving(at now: RigTime) {
        stage = .resolving
        actions += requests.fire(known.devices { $0.phase == .armed }, at: now)
    }

    /// Ends the shot for all cameras at the first miss before the fire, with `requireAll`.
    private mutating func cancelUnlessAllArm() {
        guard shot.request.requireAll, stage != .resolving,
            let culprit = known.captures.first(where: { $0.phase == .missed || $0.phase == .failed })
        else { return }
        let reason = culprit.problem.map { ": \($0.message)" } ?? "."
        cancelAll(because: "all cameras were required and '\(culprit.device.id)' was not armed\(reason)")
    }

    private mutating func cancelAll(because reason: String) {
        if stage != .recording { actions += requests.cancel(known.devices(where: \.isAwaited)) }
        missAwaited { .init(.cancelled, "The shot took no picture with '\($0.device.id)': \(reason)") }
    }

    private mutating func missAwaited(because problem: (Capture) -> RigProblem) {
        for place in known.places(where: \.isAwaited) { known.miss(place, problem(known.captures[place])) }
    }

    // MARK: Reports of nodes on their captures, live and in inventories

    private mutating func captured(_ report: CaptureReport) {
        guard stage != .recording, report.key.shot == shot.id, let place = known.place(of: report.key.device) else {
            return
        }
        let capture = known.captures[place]
        switch capture.phase {
        case .preparing, .armed: accept(report, place)
        case .missed where capture.isCancelled: actions += requests.cancel([report.key.device])
        case .missed: accept(report, place)
        case .failed where capture.isFirst(report): accept(report, place)
        case .partial where capture.goesOn(report), .failed where capture.goesOn(report):
            known.reopen(place, with: report)
            collect(place) { $0.outcome == .pending }
        case .captured, .done, .partial, .failed:
            warnIfContradicting(report, capture)
            let fresh = known.grow(place, by: report)
            collect(place) { fresh.contains($0.kind) }
        }
    }

    private mutating func accept(_ report: CaptureReport, _ place: Int) {
        // A report before the fire of this run proves that an earlier run fired.
        if stage == .arming { stage = .resolving }
        known.accept(report, place)
        collect(place) { $0.outcome == .pending }
    }

    private mutating func captureMissed(_ device: DeviceID, _ problem: RigProblem) {
        guard stage != .recording, let place = placeWithoutReport(of: device) else { return }
        if problem.isOfFile { known.fail(place, problem) } else { known.miss(place, problem.ofNode) }
    }

    /// Issues collect for the announced files of a capture that match.
    private mutating func collect(_ place: Int, where fits: (CapturedFile) -> Bool) {
        for file in known.captures[place].files where fits(file) {
            guard let digest = file.digest, let byteCount = file.byteCount else { continue }
            actions.append(.collect(known.key(of: file.kind, place), byteCount: byteCount, digest: digest))
        }
    }

    private mutating func warnIfContradicting(_ report: CaptureReport, _ capture: Capture) {
        for file in capture.files {
            guard let digest = file.digest, let other = report.file(of: file.kind), other.digest != digest else {
                continue
            }
            actions.append(
                .warn(
                    report.key,
                    .init(
                        .protocolViolation,
                        "Node '\(report.key.device.node)' announced \(file.kind.rawValue) of '\(report.key)' as \(digest) first and as \(other.digest) later; the first is used."
                    )))
        }
    }

    // MARK: Reconciling with a node that said hello: its inventory and what the shot expects

    private mutating func nodeConnected(
        _ node: NodeName, epochChanged: Bool, inventory: [CaptureReport], at now: RigTime
    ) {
        requests.connect(node)
        guard stage != .recording else { return }
        let reports = Dictionary(
            inventory.filter { $0.key.shot == shot.id }.map { ($0.key.device, $0) },
            uniquingKeysWith: { first, _ in first })
        var unmade: [DeviceID] = []
        for place in known.places(where: { $0.device.id.node == node }) {
            let capture = known.captures[place]
            if let report = reports[capture.device.id] {
                reconcile(report, place)
            } else if capture.isAwaited {
                unmade.append(capture.device.id)
                // Its pins may be gone with the node's run or may have expired; only its answer to another prepare
                // shows this.
                if epochChanged, capture.resolved != nil { requests.lostArming(of: capture.device.id) }
                known.disarm(place)
            } else {
                loseUnlisted(place, listed: nil)
            }
        }
        actions += requests.prepare(unmade, at: now)
    }

    /// Reconciles one capture like the hello's inventory.
    private mutating func offered(_ report: CaptureReport) {
        guard stage != .recording, report.key.shot == shot.id, let place = known.place(of: report.key.device) else {
            return
        }
        reconcile(report, place)
    }

    private mutating func reconcile(_ report: CaptureReport, _ place: Int) {
        let before = known.captures[place]
        captured(report)
        guard [.captured, .done, .partial, .failed].contains(before.phase) else { return }
        loseUnlisted(place, listed: report)
        let announced = Set(before.files.filter { $0.digest != nil }.map(\.kind))
        collect(place) { file in
            announced.contains(file.kind) && (file.outcome == .pending || file.outcome == .failed)
                && report.file(of: file.kind)?.digest == file.digest
        }
        guard let durable = journal.durable?.captures[place] else { return }
        actions += releases.releaseAgain(durable, of: shot.id, listed: report)
    }

    /// Gives up pending files that the node no longer lists, because their only copy was there.
    private mutating func loseUnlisted(_ place: Int, listed report: CaptureReport?) {
        let capture = known.captures[place]
        for file in capture.files where file.outcome == .pending && capture.phase == .captured {
            guard file.digest == nil || report?.file(of: file.kind)?.digest != file.digest,
                !(file.isOwed && report?.owed.contains(file.kind) == true)
            else { continue }
            known.storingFailed(
                known.key(of: file.kind, place),
                .init(
                    .fileLost,
                    "Node '\(capture.device.id.node)' no longer has the \(file.kind.rawValue) of '\(capture.device.id)' that it announced."
                ))
        }
    }

    // MARK: Manifests, and what waits for them

    /// A stop and a settled shot are written at once.
    private mutating func writeManifestIfNeeded(at now: RigTime) {
        let isUrgent = shot.status != .open || announcements.untoldStop(of: shot) != nil
        guard let manifest = journal.nextWrite(of: &known, isUrgent: isUrgent, at: now) else { return }
        actions.append(.writeManifest(manifest))
    }

    private mutating func manifestDurable(_ revision: Int, at now: RigTime) {
        guard let written = journal.succeeded(revision) else { return }
        if stage == .recording { startArming(at: now) }
        actions += releases.release(in: written)
        answerIfTimedOut(at: now)
    }

    private mutating func manifestFailed(_ revision: Int, _ problem: RigProblem, at now: RigTime) {
        guard journal.failed(revision, of: &known, at: now), journal.durable == nil else { return }
        // The client is answered at once. The manifest is still retried, because the failed write may be on the disk
        // and would be resumed as open.
        missAwaited { _ in problem }
        known.updateStatus(at: now)
        answer(shot)
    }

    /// Reports a durable settled revision, first to the client and then to all.
    private mutating func reportFinished() {
        guard let durable = journal.durable, durable.status != .open else { return }
        answer(durable)
        actions += announcements.result(of: durable)
    }

    // MARK: The client

    /// Shows the changes after the last progress. Called before every answer, because its receivers get no progress
    /// after it.
    private mutating func showProgress() {
        actions += shown.show(shot, durable: journal.durable, stage)
    }

    /// Answers the client once. Files that the answer does not contain are late from here on.
    private mutating func answer(_ answer: Shot) {
        guard client.shot == nil else { return }
        showProgress()
        client.answer(answer)
        actions.append(.answer(answer))
        known.markLate(unlessIn: answer)
    }

    /// Answers at the client's timeout with the newest durable manifest; for a take, answers the clients that wait for
    /// its beginning. Before there is one, no answer is certain to survive a crash.
    private mutating func answerIfTimedOut(at now: RigTime) {
        guard client.timesOut(at: now) else { return }
        guard let durable = journal.durable else { return giveUp() }
        guard shot.take == nil else {
            showProgress()
            if !announcements.hasBegun { actions.append(.overdue(durable)) }
            return
        }
        answer(durable)
        // A settled shot needs no mark, because every later change is late.
        if durable.status == .open { known.answered(at: now) }
    }

    /// Gives up the shot: the client is told that nothing is known, so nothing more may be done. The outstanding
    /// write may still succeed; the next one records the outcome of the shot.
    private mutating func giveUp() {
        let problem = RigProblem(
            .inputOutput,
            "The library's disk did not store the first manifest of shot \(shot.id) in time, so it is not known whether the library has the shot. Nothing was fired, and nothing will be. Check the coordinator's disk, then repeat the request with this id to learn what the library holds."
        )
        client.giveUp(problem)
        missAwaited { _ in
            .init(
                .inputOutput,
                "The library's disk did not store the shot's first manifest before the client's timeout; check the coordinator's disk. Nothing was fired."
            )
        }
        actions.append(.giveUp(problem))
    }

    // MARK: Deadlines and repetitions

    private mutating func deadlinePassed(at now: RigTime) {
        guard hasBegun else { return }
        journal.deadlinePassed(at: now)
        if stage == .arming, schedule.armDeadline <= now { endArming(at: now) }
        if stage == .resolving, schedule.resolutionDeadline <= now { endResolving() }
        answerIfTimedOut(at: now)
        if requests.isRepetitionDue(to: unanswered, at: now) { repeatRequests(at: now) }
        if stage == .resolving { actions += requests.askForOwed(owing, at: now) }
    }

    /// The cameras that have not answered prepare or fire.
    private var unanswered: [DeviceID] {
        guard stage != .recording else { return [] }
        return known.devices { $0.phase == .preparing || $0.phase == .armed && stage == .resolving }
    }

    private var owing: [DeviceID] { known.devices(where: \.owesFile) }

    private mutating func repeatRequests(at now: RigTime) {
        actions += requests.prepare(known.devices { $0.phase == .preparing }, at: now)
        if stage == .resolving { actions += requests.fire(known.devices { $0.phase == .armed }, at: now) }
    }

    /// Ends arming. A camera that was armed before its connection was renewed may be armed again; the others are
    /// missed.
    private mutating func endArming(at now: RigTime) {
        for place in known.places(where: \.isAwaited) {
            let capture = known.captures[place]
            let node = capture.device.id.node
            let isAway = !requests.reaches(node)
            let hasBeenArmed = shot.request.requireAll ? capture.phase == .armed && !isAway : capture.resolved != nil
            guard !hasBeenArmed else { continue }
            known.miss(place, .unanswered(by: node, isAway: isAway, what: "arm '\(capture.device.id)' in time"))
        }
        cancelUnlessAllArm()
        startResolving(at: now)
    }

    private mutating func endResolving() {
        let requests = self.requests
        missAwaited { capture in
            let device = capture.device.id
            return .unanswered(
                by: device.node, isAway: !requests.reaches(device.node),
                what: "report a picture of '\(device)' in time; a later picture is still accepted")
        }
    }

    // MARK: Takes, whose captures owe their files until they are stopped

    /// Stops a take. If the instant is not after T, nothing is recorded, so the take is cancelled.
    private mutating func stop(at time: RigTime) {
        guard known.stop(at: time), time <= shot.time else { return }
        cancelAll(because: "it was stopped before it began")
    }

    private mutating func tellStop(at now: RigTime) {
        let stopped = announcements.stop(of: shot, durable: journal.durable, at: now)
        guard !stopped.isEmpty else { return }
        actions += stopped
        guard stage == .resolving else { return }
        actions += requests.tellStop(to: owing)
        actions += requests.fire(known.devices { $0.phase == .armed }, at: now)
    }
}

extension Shot {
    /// Whether it is a take in which every camera records, has recorded, or has reported that it does not.
    public var hasBegunRecording: Bool {
        take != nil && captures.allSatisfy { $0.phase != .preparing && $0.phase != .armed }
    }
}

extension NodeRequests {
    fileprivate init(of shot: Shot, connected: Set<NodeName>, _ schedule: ShotSchedule) {
        self.init(
            connected: connected, interval: schedule.repeatInterval,
            owedFrom: shot.time + LivePhotoMovie.postRoll + .seconds(1))
    }
}

extension RigProblem {
    /// A node's problem as it is recorded. Only a shot is cancelled permanently: another agent with the node's name may
    /// have made a capture that this agent gave up when it ended.
    fileprivate var ofNode: RigProblem { code == .cancelled ? RigProblem(.nodeUnreachable, message) : self }

    fileprivate static func unanswered(by node: NodeName, isAway: Bool, what: String) -> RigProblem {
        .init(
            .nodeUnreachable,
            "Node '\(node)' \(isAway ? "lost its connection and" : "is connected, but too slow: it") did not \(what).")
    }
}
