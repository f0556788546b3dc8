public import CaptureModel

/// What happens when nothing happens.
extension ShotMachine {
    /// When to call `handle(.deadlinePassed, at:)` next; nil when only other events can change anything.
    public var nextDeadline: RigTime? {
        guard hasBegun else { return nil }
        var deadlines: [RigTime] = []
        if let writeRetry { deadlines.append(writeRetry) }
        if let writeDue, writing == nil, writeRetry == nil { deadlines.append(writeDue) }
        if answeredShot == nil, !isOverdue, let answer = schedule.answerDeadline { deadlines.append(answer) }
        if stage == .arming { deadlines.append(schedule.armDeadline) }
        if stage == .resolving, shot.captures.indices.contains(where: isAwaited) {
            deadlines.append(schedule.resolutionDeadline)
        }
        if let repetition, hasRepetition { deadlines.append(repetition) }
        if !hasToldStop, let stop = shot.take?.stopTime { deadlines.append(stop) }
        if hasOwed { deadlines.append(owedDue ?? owedFrom) }
        return deadlines.min()
    }

    private var hasRepetition: Bool {
        guard stage != .recording else { return false }
        return shot.captures.contains { capture in
            connected.contains(capture.device.id.node)
                && (capture.phase == .preparing || capture.phase == .armed && stage == .resolving)
        }
    }

    /// A file that is owed comes by itself. Since that may be lost, it is asked for from when it is due, a few times more
    /// slowly than what a shot waits for.
    private var owedFrom: RigTime { shot.time + LivePhotoMovie.postRoll + .seconds(1) }

    private var hasOwed: Bool { stage == .resolving && !byNode(owing).isEmpty }

    var owing: [Int] {
        shot.captures.indices.filter { index in
            shot.captures[index].phase == .captured && shot.captures[index].files.contains(where: \.isOwed)
        }
    }

    private mutating func askForOwed(at now: RigTime) {
        guard hasOwed, owedDue ?? owedFrom <= now else { return }
        actions += byNode(owing).map { .fire($0.node, $0.devices) }
        owedDue = now + schedule.repeatInterval * 4
    }

    mutating func deadlinePassed(at now: RigTime) {
        guard hasBegun else { return }
        if let retry = writeRetry, retry <= now { writeRetry = nil }
        if stage == .arming, schedule.armDeadline <= now { endArming(at: now) }
        if stage == .resolving, schedule.resolutionDeadline <= now { endResolving() }
        answerIfTimedOut(at: now)
        if let instant = repetition, instant <= now, hasRepetition { repeatRequests(at: now) }
        askForOwed(at: now)
    }

    /// At the client's timeout the newest durable manifest is the answer, of a take to who waits for its beginning. Before
    /// there is one, nothing can be told that a crash could not make untrue.
    mutating func answerIfTimedOut(at now: RigTime) {
        guard answeredShot == nil, !isOverdue, let deadline = schedule.answerDeadline, deadline <= now else { return }
        isOverdue = true
        guard let durableShot else { return giveUp() }
        guard shot.take == nil else {
            if !hasToldBeginning { actions.append(.overdue(durableShot)) }
            return
        }
        answer(durableShot)
        // A settled shot needs no mark: whatever changes after it is late.
        guard durableShot.status == .open else { return }
        shot.answeredAt = now
        isDirty = true
    }

    /// The client is told that nothing is known, so nothing may be done any more. The write that is outstanding may still
    /// succeed; the next one says what has become of the shot.
    private mutating func giveUp() {
        let problem = CaptureProblem(
            .inputOutput,
            "The library's disk has not taken the first manifest of shot \(shot.id) in time, so whether the library has the shot is not known. Nothing was fired, and nothing will be. Check the coordinator's disk, then repeat the request with this id to learn what the library holds."
        )
        givenUp = problem
        for index in shot.captures.indices where isAwaited(index) {
            miss(
                index,
                .init(
                    .inputOutput,
                    "The library's disk had not taken the shot's first manifest by the client's timeout; check the coordinator's disk. Nothing was fired."
                ))
        }
        actions.append(.giveUp(problem))
    }

    private mutating func repeatRequests(at now: RigTime) {
        sendPrepare(to: reachable(in: .preparing), at: now)
        if stage == .resolving { sendFire(to: reachable(in: .armed), at: now) }
    }

    /// A camera that had been armed before its connection was renewed may be armed again; the others are missed.
    private mutating func endArming(at now: RigTime) {
        for index in shot.captures.indices where isAwaited(index) {
            let capture = shot.captures[index]
            let node = capture.device.id.node
            let isAway = !connected.contains(node)
            let hasBeenArmed = shot.request.requireAll ? capture.phase == .armed && !isAway : capture.resolved != nil
            guard !hasBeenArmed else { continue }
            miss(index, .unanswered(by: node, isAway: isAway, what: "arm '\(capture.device.id)' in time"))
        }
        cancelUnlessAllArm()
        startResolving(at: now)
    }

    private mutating func endResolving() {
        for index in shot.captures.indices where isAwaited(index) {
            let device = shot.captures[index].device.id
            miss(
                index,
                .unanswered(
                    by: device.node, isAway: !connected.contains(device.node),
                    what: "report a picture of '\(device)' in time; one that it delivers later is still taken"))
        }
    }
}

extension CaptureProblem {
    static func unanswered(by node: NodeName, isAway: Bool, what: String) -> CaptureProblem {
        .init(.nodeUnreachable, "Node '\(node)' \(isAway ? "lost its connection and " : "")did not \(what).")
    }
}
