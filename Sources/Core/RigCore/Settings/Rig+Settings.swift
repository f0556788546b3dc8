import CaptureModel
import Logging
import ShotLogic
import StorageKit

/// Settings transactions: the requests of each step to the nodes, and the answers of repeats.
extension Rig {
    /// Time that a camera may take for answering after T beyond ``settlingFrames`` of its frames.
    private static let settingsPatience = Duration.seconds(10)
    /// The same for closing a stream and opening another one, and the first again if that fails.
    private static let reopeningPatience = Duration.seconds(20)
    /// The frames after T within which a node knows what it will know of the change.
    private static let settlingFrames = 64
    /// Time from the decision on T until the last node has it.
    private static let deliveryAllowance = Duration.milliseconds(20)

    /// Gives cameras settings at one instant, or reports what has become of the request that this one repeats.
    /// - Returns: When every camera has its outcome. Ending the wait early does not end the transaction.
    /// - Throws: `held`; `conflict` if the id was used for another request; `emptySelection`; `unknownDevice` if all cameras are required and
    ///   one is not configured; `tooSoon` or `tooFarAhead` for T; `noMemory` if too many transactions are in progress. Then nothing has changed.
    func apply(_ request: SettingsRequest, by principal: Principal) async throws(RigProblem) -> SettingsReport {
        if let report = try await earlierReport(of: request, by: principal) { return report }
        var profile: SettingsProfile?
        if case .profile(let reference) = request.origin, ledger[request.id] == nil {
            profile = try await self.profile(reference)
            // A repeat may have begun it since.
            if let report = try await earlierReport(of: request, by: principal) { return report }
        }
        let earlier = ledger[request.id]
        if let earlier { try requireSame(earlier, request, principal) }
        // What was accepted before is answered whoever holds the rig, and whenever T was.
        if earlier == nil { try hold.requireNotHeld(against: principal) }
        let received = wallClock
        let time = earlier == nil ? try requestedTime(request.time, received: received) : nil
        let order = try order(of: request, profile, earlier: earlier, by: principal)
        let leftOut = request.origin == nil ? request.selection.leftOut(of: candidates) : nil
        if request.requireAll, let leftOut {
            throw RigProblem(.unknownDevice, "all cameras are required, and \(leftOut)")
        }
        // Unstructured, because a transaction does not depend on who waits for it. Bounded by the list of transactions.
        let report = try transactions.begin(request, by: principal, cameras: order.cameras) {
            Task {
                var (report, change) = await carryOut(request, order, earlier: earlier, by: principal, at: time)
                report.leftOut = leftOut
                return await conclude(report, storedBy: change)
            }
        }
        return await report.value
    }

    /// - Throws: `conflict` if an earlier run of the coordinator has carried out another request with this id.
    private func requireSame(
        _ earlier: CommittedSettings, _ request: SettingsRequest, _ principal: Principal
    ) throws(RigProblem) {
        let isSame: Bool
        if let open = earlier.open {
            isSame = open.request == request && open.principal == principal
        } else if let past = earlier.past {
            isSame = past.principal == principal.name && past.isAnswer(to: request)
        } else {
            isSame = true
        }
        guard isSame else {
            throw RigProblem(.conflict, "settings id \(request.id) was used for another request; use a new id")
        }
    }

    /// Returns the report of a transaction with the same id, which is in progress or has ended; nil if there is none.
    private func earlierReport(
        of request: SettingsRequest, by principal: Principal
    ) async throws(RigProblem) -> SettingsReport? {
        switch try transactions.earlier(request, by: principal) {
        case .ended(let report): return report
        case .concluded(let report, let change):
            try transactions.join(request.id)
            defer { transactions.leave(request.id) }
            return await ledger.answer(report, storedBy: change)
        case .underWay(let report):
            try transactions.join(request.id)
            defer { transactions.leave(request.id) }
            return await report.value
        case nil: return nil
        }
    }

    /// - Parameter profile: The requested one; nil if none is, or an earlier run has loaded it.
    /// - Throws: `emptySelection`, `unknownDevice`, `unsupportedSettings`; `conflict` if there is nothing to undo, or a transaction is in
    ///   progress; `unknownProfile` if a repeat no longer says which cameras it was for.
    private func order(
        of request: SettingsRequest, _ profile: SettingsProfile?, earlier: CommittedSettings?, by principal: Principal
    ) throws(RigProblem) -> SettingsOrder {
        if let past = earlier?.past { return SettingsOrder(repeating: past) }
        if let profile { return SettingsOrder(profile, present: { roster.configured($0) != nil }) }
        switch request.origin {
        case nil: return try SettingsOrder(request, cameras: try select(request.selection).map(\.id))
        case .some where earlier != nil:
            throw RigProblem(
                .expired,
                "settings \(request.id) have ended in an earlier run of the coordinator, which keeps no more of them; use another id"
            )
        case .profile(let reference):
            throw RigProblem(.unknownProfile, "the profile '\(reference)' was not read")
        case .undo(let scope): return try order(undoing: scope, by: principal)
        }
    }

    /// - Throws: `conflict` if there is nothing to undo, or other transactions have the cameras; `unknownDevice`.
    private func order(undoing scope: UndoScope, by principal: Principal) throws(RigProblem) -> SettingsOrder {
        // Which one is the newest is known when all have ended.
        guard scope != .newest || !transactions.areInProgress else {
            throw RigProblem(
                .conflict,
                "a settings transaction is in progress; undo it when it has its report, or name the cameras or the transaction that are to be undone"
            )
        }
        if let unknown = scope.cameras.first(where: { roster.configured($0) == nil }) {
            let question = Spelling.question(for: "\(unknown)", among: candidates.map { "\($0.device.id)" })
            throw RigProblem(
                .unknownDevice, "the rig has no camera '\(unknown)'\(question); `capctl devices` lists the cameras")
        }
        let history = committedSettings.compactMap(\.past)
        let undo = SettingsOrder(undoing: history, scope, by: principal.name) { roster.configured($0) != nil }
        guard var order = undo else {
            let what = scope.transaction.map { "settings \($0) are not known, or undone already" }
            let place = scope.cameras.isEmpty ? "" : " at the cameras that are named"
            throw RigProblem(
                .conflict,
                "\(what ?? "there is no settings transaction to undo")\(place); \(Self.whereKept(history.count))")
        }
        order.refuse(busy: transactions.camerasInProgress)
        let problems = order.cameras.compactMap { order.ended[$0]?.problem }
        if order.open.isEmpty, let problem = problems.first(where: { $0.code == .conflict }) { throw problem }
        return order
    }

    /// - Returns: nil for as soon as possible.
    /// - Throws: `tooSoon` or `tooFarAhead`, with the limits.
    private func requestedTime(
        _ requested: RequestedTime, received: WallClockPair<RigTimeBase>
    ) throws(RigProblem) -> RigTime? {
        let time: RigTime
        switch requested {
        case .soon: return nil
        case .relative(let nanoseconds): time = received.monotonic + .nanoseconds(nanoseconds)
        case .absolute(let realtime): time = received.instant(atRealtimeNanoseconds: realtime)
        }
        let ahead = time - received.monotonic
        guard ahead >= .zero else {
            throw RigProblem(
                .tooSoon,
                "T is \(ahead.magnitude.text) before the request; settings act at the earliest when it arrives")
        }
        let limit = min(settings.maximumAhead, SettingsStep.keepingTime / 2)
        guard ahead <= limit else {
            throw RigProblem(
                .tooFarAhead, "T is \(ahead.text) after the request; it must be at most \(limit.text) after it")
        }
        return time
    }

    /// - Returns: The report, and the change of the ledger with which it is durable.
    func carryOut(
        _ request: SettingsRequest, _ initial: SettingsOrder, earlier: CommittedSettings?, by principal: Principal,
        at requested: RigTime?
    ) async -> (report: SettingsReport, change: UInt64) {
        var order = initial
        if earlier != nil { await connections(of: order.open) }
        if earlier == nil { await deliveries(to: Set(order.cameras.map(\.node))) }
        if request.requireAll, order.asksMoreThanDropping { order.refuseDropping() }
        await drop(order.waiting, in: &order)
        if earlier == nil { postpone(&order, mayWait: request.origin == nil) }
        if earlier == nil, !order.hardware.isEmpty {
            for (camera, answer) in await held(by: order.open) { order.examine(camera, answer) }
        }
        var transaction = SettingsTransaction(request, order, earlier: earlier)
        let time = await carryOut(&transaction, at: requested) { (transaction) async throws(RigProblem) in
            try await self.ledger.commit(transaction, by: principal)
        }
        let cameras = reports(of: transaction)
        let change = end(transaction, cameras, by: principal, at: time)
        var report = SettingsReport(
            id: request.id, settings: request.settings, time: time,
            realtimeNanoseconds: time.map(wallClock.realtimeNanoseconds(at:)), cameras: cameras)
        (report.profile, report.undoes, report.undoesRun) = (order.profile, order.undoes, order.undoesRun)
        return (report, change)
    }

    /// The outcomes of a transaction's cameras. One that was to wait for its node, and was forgotten since, does not wait.
    private func reports(of transaction: SettingsTransaction) -> [CameraSettingsReport] {
        let stored = ledger[transaction.request.id]?.past?.cameras ?? []
        let forgotten = Set(stored.filter { $0.outcome == .undone && !$0.awaitsNode }.map(\.device))
        return transaction.cameras.map { camera in
            var camera = camera
            if transaction.order.away.contains(camera.device), forgotten.contains(camera.device) {
                let forgotten = RigProblem(
                    .cancelled, "\(camera.device) was forgotten before its node has joined")
                camera.outcome = .undone(transactions.cancellation(of: transaction.request.id) ?? forgotten)
            }
            return camera
        }
    }

    /// Has the cameras carry out the steps of a transaction.
    /// - Parameter commit: Called once before cameras are told to set. What it throws ends the transaction before that.
    /// - Returns: T; nil if no camera was told to set.
    func carryOut(
        _ transaction: inout SettingsTransaction, at requested: RigTime?,
        _ commit: (SettingsTransaction) async throws(RigProblem) -> Void
    ) async -> RigTime? {
        let order = transaction.order
        var time: RigTime?
        var step = transaction.begin()
        while true {
            switch step {
            case .prepare(let cameras):
                step = await answers(of: cameras, in: &transaction, by: now) {
                    .prepare(order.settings[$0] ?? CaptureSettings())
                }
            case .commit(let cameras):
                let id = transaction.request.id
                do throws(RigProblem) {
                    try transactions.requireNotCancelled(id)
                    // Until T is chosen, the transaction can be cancelled, also while it is stored.
                    if transaction.earlier == nil { transactions.stores(id) }
                    try await commit(transaction)
                    try transactions.requireNotCancelled(id)
                    transaction.committed()
                    let chosen = try chosenTime(requested, transaction)
                    time = transaction.earlier == nil ? chosen : knownTime(of: transaction)
                    // A node that an earlier run has told may wait for T still.
                    let waiting = transaction.earlier == nil ? chosen : now + SettingsStep.keepingTime / 2
                    transactions.commits(id, cameras, at: chosen)
                    step = await answers(of: cameras, in: &transaction, by: waiting) { _ in .commit(at: chosen) }
                    transactions.hasCommitted(id)
                    if let problem = transactions.cancellation(of: id),
                        let answers = transactions.answersToCancellation(of: id)
                    {
                        transaction.cancelled(await answers.value, problem)
                    }
                } catch {
                    transactions.hasCommitted(id)
                    step = transaction.giveUp(because: error)
                }
            case .undo(let cameras):
                let undo = transaction.undoStep
                step = await answers(of: cameras, in: &transaction, by: now) { _ in undo }
            case .end:
                for (camera, step) in transaction.untold(at: time).sorted(by: { $0.key < $1.key }) {
                    deliveries.add(step, of: transaction.request.id, to: camera)
                    beginDelivery(to: camera.node)
                }
                return transaction.hasReachedTime ? time : nil
            }
        }
    }

    /// Has cameras forget settings that wait for their start.
    /// - Parameter waiting: The transactions of each camera, the newest first.
    private func drop(_ waiting: [DeviceID: [SettingsID]], in order: inout SettingsOrder) async {
        await withTaskGroup(of: (DeviceID, [SettingsOrder.Drop]).self) { group in
            for (camera, ids) in waiting { group.addTask { (camera, await self.drop(ids, at: camera)) } }
            for await (camera, drops) in group { order.drop(camera, drops) }
        }
    }

    /// Returns what has become of each, up to the first one that may be dropped later. A node answers for each once, so that it is noted at once
    /// what it has dropped.
    private func drop(_ ids: [SettingsID], at camera: DeviceID) async -> [SettingsOrder.Drop] {
        var drops: [SettingsOrder.Drop] = []
        for id in ids where !ledger.dropWaiting(camera, of: id) {
            let request = DeviceRequest(
                device: camera, timeout: patience(with: camera), command: .settings(id, .undo))
            let drop = SettingsOrder.Drop(id: id, answer: await outcome(of: request).map { _ in })
            drops.append(drop)
            if drop.mayPass { return drops }
            if drop.problem == nil { ledger.noteDropped(camera, of: id) }
        }
        return drops
    }

    /// Chooses T once every camera is prepared.
    /// - Throws: `tooSoon` if the requested T can no longer be reached.
    private func chosenTime(
        _ requested: RigTime?, _ transaction: SettingsTransaction
    ) throws(RigProblem) -> RigTime {
        // Too late to set anything that is not set yet.
        if transaction.earlier != nil { return knownTime(of: transaction) ?? now - SettingsStep.keepingTime }
        let cameras = transaction.order.open.compactMap(roster.configured).map { plannedCamera($0, PhotoSettings()) }
        let roundTrip = cameras.compactMap(\.roundTrip).max() ?? .zero
        let earliest = now + transaction.lead + min(max(roundTrip, .zero), .seconds(1)) + Self.deliveryAllowance
        guard let requested else {
            guard case .soon(let lead?, _) = transaction.request.time else { return earliest }
            return max(earliest, now + .nanoseconds(min(lead, SettingsStep.keepingTime.nanoseconds / 2)))
        }
        guard requested >= earliest else {
            throw RigProblem(
                .tooSoon,
                "the cameras were prepared \((earliest - requested).text) too late for T, so nothing was set; choose a later T, or none"
            )
        }
        return requested
    }

    /// T of a transaction that an earlier run has ended; nil if it is not known on this time line.
    private func knownTime(of transaction: SettingsTransaction) -> RigTime? {
        transaction.earlier.flatMap { $0.rigClock == clockID ? $0.time : nil }
    }

    /// Has the cameras carry out a step, all at the same time.
    /// - Returns: The step that follows.
    private func answers(
        of cameras: [DeviceID], in transaction: inout SettingsTransaction, by time: RigTime,
        _ step: (DeviceID) -> SettingsStep
    ) async -> SettingsTransaction.Step {
        let id = transaction.request.id
        let order = transaction.order
        let reopens = cameras.contains { order.settings[$0]?.concernsStream == true }
        let reopening = reopens ? Self.reopeningPatience : .zero
        let wait = max(.zero, time - now) + reopening
        let started = transaction.deferred
        return await withTaskGroup(of: (DeviceID, DeviceRelay.Outcome, DeviceRelay.Outcome?).self) { group in
            for camera in cameras {
                let request = DeviceRequest(
                    device: camera, timeout: wait + patience(with: camera), command: .settings(id, step(camera)))
                // What a camera that has started since then makes of the settings was not known when it was prepared.
                let again = DeviceRequest(
                    device: camera, timeout: patience(with: camera),
                    command: .settings(id, .prepare(order.settings[camera] ?? CaptureSettings())))
                group.addTask {
                    let outcome = await self.outcome(of: request)
                    guard started.contains(camera), case .success(.settings(.applied)) = outcome else {
                        return (camera, outcome, nil)
                    }
                    return (camera, outcome, await self.outcome(of: again))
                }
            }
            var next: SettingsTransaction.Step?
            for await (camera, outcome, preparation) in group {
                if case .success(.settings(.prepared(let preparation)))? = preparation {
                    transaction.learn(preparation, of: camera)
                }
                next = transaction.take(outcome, from: camera, of: step(camera)) ?? next
            }
            // No camera is awaited after the last answer.
            return next ?? .end
        }
    }

    func patience(with camera: DeviceID) -> Duration {
        let interval = roster.frameInterval(of: camera)
        return Self.settingsPatience
            + min(max(interval ?? TriggerPlanner.assumedFrameInterval, .zero), .seconds(1)) * Self.settlingFrames
    }

    /// Notes the end of a transaction.
    /// - Returns: The change of the ledger with which it is durable; 0 if it was before.
    private func end(
        _ transaction: SettingsTransaction, _ cameras: [CameraSettingsReport], by principal: Principal,
        at time: RigTime?
    ) -> UInt64 {
        guard let change = ledger.end(transaction, cameras, by: principal, at: time) else { return 0 }
        // A node may have joined since.
        for node in Set(transaction.order.away.map(\.node)) { beginDelivery(to: node) }
        return change
    }

    /// Ends a transaction when its end is durable.
    /// - Returns: Its report, as ``LedgerKeeper/answer(_:storedBy:)``.
    func conclude(_ report: SettingsReport, storedBy change: UInt64) async -> SettingsReport {
        transactions.conclude(report, storedBy: change)
        await endStored()
        return await ledger.answer(report, storedBy: change)
    }

    /// Ends the transactions whose ends are durable.
    func endStored() async {
        for report in transactions.end(storedThrough: ledger.content.stored) { await tellEnd(report) }
    }

    func outcome(of request: DeviceRequest) async -> DeviceRelay.Outcome {
        for await outcome in await relayed(request) { return outcome }
        return .failure(RigProblem(.cancelled, "\(request.subject): the coordinator is ending"))
    }

    /// Logs and announces the end of a transaction.
    private func tellEnd(_ report: SettingsReport) async {
        let counts = Dictionary(uniqueKeysWithValues: report.outcomeCounts.map { ($0.key.rawValue, "\($0.value)") })
        log.info(
            "a settings transaction has ended",
            metadata: counts.mapValues { "\($0)" }.merging(["settings.id": "\(report.id)"]) { own, _ in own })
        await announce(.settingsApplied, details: counts.merging(["settings": "\(report.id)"]) { own, _ in own })
    }
}

extension SettingsTransaction {
    /// Notes a node's answer to a step.
    fileprivate mutating func take(
        _ outcome: DeviceRelay.Outcome, from camera: DeviceID, of step: SettingsStep
    ) -> Step? {
        switch step {
        case .prepare:
            return prepared(
                camera,
                outcome.read(from: camera) { if case .prepared(let preparation) = $0 { preparation } else { nil } })
        case .commit:
            return committed(
                camera,
                outcome.read(from: camera) { result -> Commitment? in
                    switch result {
                    case .applied(let effect): .applied(effect)
                    case .deferred(let problem): .deferred(problem)
                    case .prepared, .undone: nil
                    }
                })
        case .undo, .giveUp:
            return undone(camera, outcome.read(from: camera) { if case .undone = $0 { () } else { nil } })
        }
    }
}

extension PastSettings {
    /// Whether a request is the one that this has carried out.
    fileprivate func isAnswer(to request: SettingsRequest) -> Bool {
        guard run == request.run else { return false }
        switch request.origin {
        case .undo(let scope):
            return undoes != nil && (scope.names(undoesRun) || (scope.transaction ?? undoes) == undoes)
                && (scope.cameras.isEmpty || Set(cameras.map(\.device)).isSubset(of: scope.cameras))
        case .profile(let reference): return undoes == nil && profile?.name == reference.name
        case nil:
            guard undoes == nil, profile == nil else { return false }
            let order = try? SettingsOrder(request, cameras: cameras.map(\.device))
            return order?.settings == Dictionary(cameras.map { ($0.device, $0.settings) }, uniquingKeysWith: { $1 })
        }
    }
}

extension DeviceRelay.Outcome {
    fileprivate func read<Value>(
        from camera: DeviceID, _ value: (SettingsStepResult) -> Value?
    ) -> Result<Value, RigProblem> {
        flatMap { reply in
            guard case .settings(let result) = reply, let value = value(result) else {
                return .failure(
                    RigProblem(
                        .protocolViolation,
                        "\(camera): the node answered another step of the transaction than it was asked for; install equal versions on node and coordinator"
                    ))
            }
            return .success(value)
        }
    }
}

extension EventName {
    static let settingsApplied = EventName(rawValue: "settings.applied")
}
