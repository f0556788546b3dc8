import CaptureModel
import FaultPoints
import Logging
import ShotDocuments
import ShotLogic
import StorageKit

extension Rig {
    /// Accepts a shot, or continues to report on the shot that has this id.
    /// - Parameter principal: The sender. The shot records the first one.
    /// - Returns: The progress of the shot. The last notice is the answer or the refusal.
    func trigger(_ request: TriggerRequest, by principal: Principal) async -> AsyncStream<ShotNotice> {
        let deadline = clock.now() + patience(of: request)
        do throws(RigProblem) {
            if let known = try await repeated(request, for: principal, by: deadline) { return known }
            let planned = try plan(request, for: principal)
            var progress = ShotInProgress(
                machine: planned.machine, leftOut: planned.leftOut, answerDue: answerDue(planned.machine))
            let notices = progress.watch(untilBeginning: planned.machine.shot.take != nil)
            guard let notices else { throw Self.tooManyWatchers(request.shot) }
            shots.begin(progress)
            await tellAccepted(planned)
            await RigFault.accepted.reached()
            await handle(.begin, shot: request.shot)
            return notices
        } catch {
            return Self.refused(error)
        }
    }

    /// Returns how long after T the answer may take.
    private func patience(of request: TriggerRequest) -> Duration { request.timeout ?? settings.timeout }

    private func answerDue(_ machine: ShotMachine) -> LocalTime? {
        machine.answerDeadline.map { localTime(of: $0, for: machine.shot) }
    }

    static func refused(_ problem: RigProblem) -> AsyncStream<ShotNotice> {
        let (notices, notice) = AsyncStream.makeStream(of: ShotNotice.self)
        notice.yield(.refused(problem))
        notice.finish()
        return notices
    }

    private struct PlannedShot {
        var machine: ShotMachine
        var leftOut: LeftOutDevices?
    }

    /// Looks for a shot with the same id. The same content means the same shot; other content is refused.
    private func repeated(
        _ request: TriggerRequest, for principal: Principal, by deadline: LocalTime
    ) async throws(RigProblem) -> AsyncStream<ShotNotice>? {
        if let notices = try await underWay(request, principal) { return notices }
        let stored = try await lookUp(request.shot, by: deadline)
        // While the disk was read, another request may have opened the shot.
        if let notices = try await underWay(request, principal) { return notices }
        guard let stored else { return nil }
        try requireSame(stored.shot, request, principal)
        return Self.answered(AnsweredShot(shot: stored.shot, manifest: stored))
    }

    /// Looks up a shot in the library for a client.
    /// - Throws: `deleted` if it was deleted; `inputOutput` if the library's disk has not answered within the coordinator's `trigger.timeout`.
    func lookUp(_ id: ShotID) async throws(RigProblem) -> StoredManifest? {
        let late = RigProblem(
            .inputOutput,
            "the library's disk did not report within \(settings.timeout.text) what it has of shot \(id); check the coordinator's disk, then repeat the request"
        )
        let found = try await library.ask(by: clock.now() + settings.timeout, late) {
            library throws(StorageError) -> Found in
            if let stored = try await library.manifest(id) { return .stored(stored) }
            return try await library.deletion(of: id).map { .deleted($0) } ?? .unknown
        }
        switch found {
        case .stored(let manifest): return manifest
        case .unknown: return nil
        case .deleted(let deletion): throw .deleted(deletion)
        }
    }

    /// Checks that the files that an answer calls stored are at their paths.
    /// - Throws: `inputOutput` if they are not, or if the library's disk has not answered by the deadline.
    func confirm(_ shot: Shot, by deadline: LocalTime) async throws(RigProblem) {
        let late = RigProblem(
            .inputOutput,
            "the library's disk did not answer in time whether the files of shot \(shot.id) are in place. The manifest's outcome stands. Repeat the request with this id once the coordinator's disk answers"
        )
        try await library.ask(by: deadline, late) { library throws(StorageError) in try await library.confirm(shot) }
    }

    /// Looks up a shot in the library. Returns nil if a new one can be stored.
    /// - Throws: `deleted` if it was deleted; `inputOutput` if the library's disk has not answered by the deadline.
    private func lookUp(_ id: ShotID, by deadline: LocalTime) async throws(RigProblem) -> StoredManifest? {
        let found = try await library.ask(by: deadline, Self.unanswered(id)) {
            library throws(StorageError) -> Found in
            if let stored = try await library.manifest(id) { return .stored(stored) }
            if let deletion = try await library.deletion(of: id) { return .deleted(deletion) }
            try await library.checkAdmission()
            return .unknown
        }
        switch found {
        case .stored(let manifest): return manifest
        case .unknown: return nil
        // Whoever may not read the library learns that the id is used, as of another's shot that exists.
        case .deleted(let deletion): throw RigProblem(.deleted, "\(deletion.sentence); use a new id")
        }
    }

    private enum Found {
        case stored(StoredManifest)
        case deleted(ShotDeletion)
        case unknown
    }

    private static func unanswered(_ id: ShotID) -> RigProblem {
        RigProblem(
            .inputOutput,
            "the library's disk did not answer in time whether it has shot \(id). This request has fired nothing and will not fire. Check the coordinator's disk, then repeat the request with this id"
        )
    }

    private func underWay(
        _ request: TriggerRequest, _ principal: Principal
    ) async throws(RigProblem) -> AsyncStream<ShotNotice>? {
        guard let progress = shots[request.shot] else { return nil }
        let machine = progress.machine
        try requireSame(machine.shot, request, principal)
        // The present content of the library, which may be more than the first answer.
        if let answered = machine.answeredShot {
            return Self.answered(progress.answered(machine.durableShot ?? answered))
        }
        if let problem = machine.givenUp { throw problem }
        if let durable = machine.durableShot, durable.hasBegunRecording || machine.isOverdue {
            return Self.answered(progress.answered(durable))
        }
        let present = present(for: machine.shot)
        // If the time line has ended, T has passed.
        let start = machine.shot.rigClock == clockID ? max(present, machine.shot.time) : present
        let deadline = start + patience(of: request)
        let notices = shots.watch(
            request.shot, untilBeginning: machine.shot.take != nil,
            due: answerDue(machine) ?? localTime(of: deadline, for: machine.shot))
        guard let notices else { throw Self.tooManyWatchers(request.shot) }
        await handle(.awaited(until: deadline), shot: request.shot)
        return notices
    }

    private func requireSame(
        _ shot: Shot, _ request: TriggerRequest, _ principal: Principal
    ) throws(RigProblem) {
        // Whoever may not read the library must not get another's shot by its id. A name without proof says nothing.
        if principal.isAuthenticated, let first = shot.triggeredBy, first.isAuthenticated, first != principal {
            throw RigProblem(
                .conflict, "shot id \(request.shot) was used by \(first.name); use a new id")
        }
        guard shot.request == request.request else {
            throw RigProblem(
                .conflict, "shot id \(request.shot) was used for a trigger with other content; use a new id")
        }
    }

    static func answered(_ answer: AnsweredShot) -> AsyncStream<ShotNotice> {
        let (notices, notice) = AsyncStream.makeStream(of: ShotNotice.self)
        notice.yield(.answer(answer))
        notice.finish()
        return notices
    }

    static func tooManyWatchers(_ shot: ShotID) -> RigProblem {
        RigProblem(.conflict, "\(ShotInProgress.watcherLimit) clients wait for shot \(shot) already")
    }

    private func plan(_ request: TriggerRequest, for principal: Principal) throws(RigProblem) -> PlannedShot {
        // Here, so that a shot accepted before the hold is answered as ever, whoever asks for it again.
        try hold.requireNotHeld(against: principal)
        try shots.requireRoom()
        let (devices, closed) = try expectedDevices(request.request)
        let leftOut = request.request.selection.leftOut(of: candidates)
        if request.request.requireAll, let missing = leftOut {
            throw RigProblem(.unknownDevice, "all cameras are required, and \(missing)")
        }
        let wallClock = wallClock
        let cameras = devices.map { plannedCamera($0, request.request.settings) }
        let plan = try planner(for: devices).plan(request.request.time, received: wallClock, cameras: cameras)
        let timing = timingLimits(of: request.request)
        let forecasts = zip(devices, cameras).map { TimingForecast($0.id, $1, at: plan.time) }
        if let objection = TimingForecast.objection(forecasts, timing) { throw objection }
        let shot = Shot(
            id: request.shot, time: plan.time, rigClock: clockID, wallClock: wallClock, coordinatorEpoch: epoch,
            request: request.request, triggeredBy: principal, limits: timing, prediction: plan.prediction,
            captures: devices.map { expectedCapture(of: $0, request.request.settings) }, leftOut: closed)
        let received = wallClock.monotonic
        let wait = patience(of: request) + max(.zero, plan.time - received)
        // A camera that left its stream reports when it is back in it, which takes no longer than leaving it.
        let grace = grace(for: devices.map(\.id)) + (cameras.compactMap(\.preparation).max() ?? .zero)
        let schedule = ShotSchedule(
            time: plan.time, now: received, arming: settings.arming, grace: grace, timeout: wait)
        return PlannedShot(
            machine: ShotMachine(taking: shot, connected: connectedNodes, schedule: schedule), leftOut: leftOut)
    }

    /// Returns what limits the timing of a shot: its request, or else the rig. nil for no limit, and for a take.
    private func timingLimits(of request: ShotRequest) -> TimingLimits? {
        guard request.settings.movie == nil, let limits = request.limits ?? settings.timing, limits.isLimiting else {
            return nil
        }
        return limits
    }

    /// Returns the cameras that a shot expects, and the selected ones that it leaves out because somebody wants them closed.
    private func expectedDevices(
        _ request: ShotRequest
    ) throws(RigProblem) -> ([DeviceDescription], closed: [LeftOutCamera]) {
        let selected = try select(request.selection)
        // If all are required, a closed one cancels the shot, and says so.
        guard !request.requireAll else { return (selected, []) }
        let ids = Set(selected.map(\.id))
        let closed = LeftOutCamera.among(candidates.filter { ids.contains($0.device.id) }, request.selection)
        let absent = Set(closed.map(\.device))
        let devices = selected.filter { !absent.contains($0.id) }
        guard !devices.isEmpty else {
            let reasons = closed.map { "\($0.device): \($0.reason)" }.joined(separator: "; ")
            throw RigProblem(.emptySelection, "every selected camera is closed. \(reasons)")
        }
        return (devices, closed)
    }

    /// Decides here which cameras have a raw file, so that the first manifest records it. A camera that loses its raw
    /// file later has failed.
    private func expectedCapture(of device: DeviceDescription, _ settings: PhotoSettings) -> Capture {
        guard settings.raw == .withPhotoWhereEnabled, settings.movie == nil else {
            return Capture(device: device, kinds: settings.assetKinds)
        }
        let session = roster.nodes[device.id.node]?.devices[device.id.device]?.condition.session
        let hasRaw = session?.hasRaw == true && settings.bracket == nil
        var capture = Capture(device: device, kinds: settings.assetKinds(hasRaw: hasRaw))
        guard !hasRaw else { return capture }
        let reason = session?.hasRaw == true ? "not supported for a bracket" : session?.abilities.raw.reason
        capture.rawNote = "no RAW: \(reason ?? "the state of the session is not known yet")"
        return capture
    }

    func select(_ selection: Selection) throws(RigProblem) -> [DeviceDescription] {
        guard !roster.nodes.isEmpty else {
            throw RigProblem(
                .emptySelection,
                "no node has joined yet; `capctl status` shows the nodes that have. An agent joins within seconds of its start "
                    + "if its `coordinator` names this machine")
        }
        do {
            return try selection.evaluate(candidates)
        } catch {
            throw RigProblem(.emptySelection, error.description)
        }
    }

    var candidates: [SelectionCandidate] {
        roster.devices.map { SelectionCandidate(device: $0.description, condition: $0.condition) }
    }

    /// Returns a planner. T may reach back as far as the shortest ring of the nodes concerned, minus the time that
    /// arming may take.
    private func planner(for devices: [DeviceDescription]) -> TriggerPlanner {
        let depths = Set(devices.map(\.id.node)).compactMap { roster.nodes[$0]?.agent?.ringDepth }
        let depth = max(.zero, (depths.min() ?? .zero) - .milliseconds(250))
        return TriggerPlanner(limits: TriggerLimits(ringDepth: depth, maximumAhead: settings.maximumAhead))
    }

    func plannedCamera(_ device: DeviceDescription, _ settings: PhotoSettings) -> PlannedCamera {
        let node = roster.nodes[device.id.node]
        let condition = node?.devices[device.id.device]?.condition
        return PlannedCamera(
            clockBound: node?.agent?.clockBound, frameInterval: condition?.frameInterval,
            phase: condition?.phase, preparation: condition.flatMap { preparation(of: $0, settings) })
    }

    /// Returns how long before T a camera leaves its stream for a larger still.
    private func preparation(of condition: DeviceCondition, _ settings: PhotoSettings) -> Duration? {
        guard let wish = settings.maxPhotoDimensions, let format = condition.format,
            wish != PixelSize(width: format.width, height: format.height)
        else { return nil }
        return condition.session?.largerPhoto.map { .nanoseconds($0.leadNanoseconds) }
    }

    private func tellAccepted(_ planned: PlannedShot) async {
        let shot = planned.machine.shot
        log.info(
            "a \(shot.noun) is accepted",
            metadata: [
                "shot.id": "\(shot.id)", "cameras": "\(shot.captures.count)", "lead": "\(shot.time - now)",
                "principal": "\((shot.triggeredBy ?? .unnamed).name)",
            ])
        await announce(
            shot.take == nil ? .shotAccepted : .takeAccepted, shot: shot.id,
            details: [
                "by": (shot.triggeredBy ?? .unnamed).name, "cameras": "\(shot.captures.count)",
                "timeNanoseconds": "\(shot.time.nanoseconds)",
            ].merging(shot.prediction?.details ?? [:]) { own, _ in own })
    }
}

extension SpreadPrediction {
    /// As details of an event.
    fileprivate var details: [String: String] {
        var details = [
            "predictedSpreadNanoseconds": "\(spreadNanoseconds)", "shiftNanoseconds": "\(shiftNanoseconds)",
        ]
        details["predictedBoundNanoseconds"] = boundNanoseconds.map { "\($0)" }
        return details
    }
}
