public import CaptureModel

/// Deadlines and repetitions.
extension ShotMachine {
    /// When to call `handle(.deadlinePassed, at:)` next; nil if only other events can change anything.
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

    /// When to ask for owed files. An owed file arrives without a request, but its report may be lost. So it is
    /// requested from its due instant on, at a quarter of the rate of requests that a shot waits for.
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

    /// Answers at the client's timeout with the newest durable manifest; for a take, answers the clients that wait for
    /// its beginning. Before there is one, no answer is certain to survive a crash.
    mutating func answerIfTimedOut(at now: RigTime) {
        guard answeredShot == nil, !isOverdue, let deadline = schedule.answerDeadline, deadline <= now else { return }
        isOverdue = true
        guard let durableShot else { return giveUp() }
        guard shot.take == nil else {
            showProgress()
            if !hasToldBeginning { actions.append(.overdue(durableShot)) }
            return
        }
        answer(durableShot)
        // A settled shot needs no mark, because every later change is late.
        guard durableShot.status == .open else { return }
        shot.answeredAt = now
        isDirty = true
    }

    /// Gives up the shot: the client is told that nothing is known, so nothing more may be done. The outstanding
    /// write may still succeed; the next one records the outcome of the shot.
    private mutating func giveUp() {
        let problem = RigProblem(
            .inputOutput,
            "The library's disk did not store the first manifest of shot \(shot.id) in time, so it is not known whether the library has the shot. Nothing was fired, and nothing will be. Check the coordinator's disk, then repeat the request with this id to learn what the library holds."
        )
        givenUp = problem
        for index in shot.captures.indices where isAwaited(index) {
            miss(
                index,
                .init(
                    .inputOutput,
                    "The library's disk did not store the shot's first manifest before the client's timeout; check the coordinator's disk. Nothing was fired."
                ))
        }
        actions.append(.giveUp(problem))
    }

    private mutating func repeatRequests(at now: RigTime) {
        sendPrepare(to: reachable(in: .preparing), at: now)
        if stage == .resolving { sendFire(to: reachable(in: .armed), at: now) }
    }

    /// Ends arming. A camera that was armed before its connection was renewed may be armed again; the others are
    /// missed.
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
                    what: "report a picture of '\(device)' in time; a later picture is still accepted"))
        }
    }
}

extension RigProblem {
    static func unanswered(by node: NodeName, isAway: Bool, what: String) -> RigProblem {
        .init(
            .nodeUnreachable,
            "Node '\(node)' \(isAway ? "lost its connection and" : "is connected, but too slow: it") did not \(what).")
    }
}
