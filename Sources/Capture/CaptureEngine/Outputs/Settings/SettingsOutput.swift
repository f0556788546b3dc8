import CameraKit
import CameraSettings
import CaptureModel

/// Carries out the settings transactions of a session's camera: prepares, sets at T, watches the frames for the change,
/// puts back.
///
/// ``SettingsMachine``, which ``CameraControls`` owns, decides. The call that commits a transaction carries it out;
/// repeats of it wait for its end.
final class SettingsOutput: CaptureOutput {
    unowned let session: any SessionAccess
    let controls: CameraControls
    let captures: PendingCaptures
    let meter: SceneMeter
    let waiters: SettingsWaiters
    let desired: DesiredSettingsStore
    let deferred: DeferredTransactions
    let restoration: SettingsRestoration
    let stream: SettingsStream

    init(_ session: any SessionAccess, controls: CameraControls, captures: PendingCaptures) {
        self.session = session
        self.controls = controls
        self.captures = captures
        meter = session.services.sceneMeter ?? SceneMeter(executor: session.services.executor)
        waiters = SettingsWaiters(clock: session.clock)
        desired = DesiredSettingsStore(session)
        deferred = DeferredTransactions(session, controls: controls, desired: desired)
        restoration = SettingsRestoration(session, controls: controls, captures: captures, desired: desired)
        stream = SettingsStream(session, controls: controls, captures: captures, desired: desired)
    }

    var device: DeviceID { session.device.id }
    var now: LocalTime { session.clock.now() }

    // MARK: Calls of the session

    /// Whether frames are awaited to show a change. A camera that is only prepared may be closed.
    var needsStream: Bool {
        switch controls.transactions.active?.phase {
        case .waiting, .reopening, .setting, .confirming, .undoing: true
        case .preparing, .prepared, nil: false
        }
    }

    func streamOpened() async {
        let last = controls.frames.last
        restoration.streamOpened()
        controls.streamOpened()
        guard await !stream.setOpened(after: last) else { return }
        await restoration.restore()
    }

    func receive(_ frame: RingFrame, from stream: OpenStream) {
        controls.receive(FrameFacts(frame, isStated: stream.stream.statesFrameValues))
        restoration.look()
        waiters.ring()
    }

    func update() async {
        controls.transactions.expire(at: now)
        await restoration.checkDrift()
        await refocus()
    }

    func streamClosed(_ stream: OpenStream) { streamEnded(because: session.stateDescription) }

    func framesLost(because reason: String) async { streamEnded(because: reason) }

    func deviceExchanged() {
        controls.transactions.deviceExchanged(to: device)
        controls.revisions = SettingsRevisions()
        desired.deviceExchanged()
        restoration.end()
        deferred.deviceExchanged()
        stream.deviceExchanged()
        waiters.wake()
    }

    func sessionEnded() async { streamEnded(because: "the node is shutting down") }

    private func streamEnded(because reason: String) {
        if let cut = controls.refocusing.streamEnded(), cut.number == controls.revisions.number {
            controls.revisions.accepted()
        }
        controls.transactions.streamEnded(because: reason)
        waiters.wake()
    }

    func settings(at sequence: UInt64) -> FrameSettings? { controls.revisions.settings(at: sequence) }

    /// Whether a transaction is closing the stream and opening it again.
    var isReopening: Bool { stream.isReopening }

    /// Returns what the camera is to hold.
    /// - Throws: `inputOutput` if it cannot be read at present; `noMemory` if it is more than settings can have.
    func held() async throws(RigProblem) -> HeldSettings {
        let desired = try await desired.read()
        let hardware = session.knowledge.hardware
        guard let settings = CaptureSettings(driverValues: desired.values).flatMap(stream.adding(to:)) else {
            throw RigProblem(
                .noMemory, "\(device) holds more than \(CaptureSettings.limit) controls, more than settings can have")
        }
        return HeldSettings(
            revision: desired.revision, make: desired.make, model: desired.model,
            present: HardwareModel(make: hardware.make, model: hardware.model), settings: settings,
            waiting: desired.deferred.map(\.id))
    }

    // MARK: Steps

    func carryOut(
        _ step: SettingsStep, of id: SettingsID
    ) async throws(RigProblem) -> SettingsStepResult {
        await awaitRefocus()
        switch step {
        case .prepare(let settings):
            try await desired.requireNotGivenUp(id)
            if let deferral = deferred.prepare(id, settings) { return .prepared(deferral) }
            return .prepared(try await prepare(id, settings))
        case .commit(let time):
            if let reason = try await deferred.commit(id) { return .deferred(reason) }
            // A camera that has started since it was prepared.
            if let settings = deferred.takePrepared(id) { _ = try await prepare(id, settings) }
            return .applied(try await commit(id, at: time))
        case .undo:
            try await undoWhatever(id)
            return .undone
        case .giveUp:
            let isUnset = controls.transactions.isUnset(id) || deferred.isPrepared(id)
            try await undoWhatever(id)
            if isUnset { await desired.giveUp(id) }
            return .undone
        }
    }

    /// Undoes a transaction, whether it has set the camera, or waits for its start.
    private func undoWhatever(_ id: SettingsID) async throws(RigProblem) {
        guard try await !deferred.undo(id) else { return }
        guard !desired.isReplaced(id) else {
            throw RigProblem(
                .conflict, "\(device): settings transaction \(id) cannot be undone: a later one has set the camera")
        }
        try await undo(id)
    }

    /// Drops what an earlier run of the coordinator had prepared, and will not commit.
    func dropPrepared() {
        controls.transactions.dropPrepared()
        deferred.dropPrepared()
        waiters.wake()
    }

    /// Why the controls cannot be had, apart from other transactions.
    var obstacle: RigProblem? {
        guard captures.isCameraTaken else { return nil }
        return RigProblem(
            .conflict,
            "\(device): a capture with flash or bracket, or larger than the stream, has the camera; try again when it has ended"
        )
    }

    private func prepare(
        _ id: SettingsID, _ settings: CaptureSettings
    ) async throws(RigProblem) -> SettingsPreparation {
        while true {
            switch controls.transactions.prepare(id, settings, at: now, obstacle: obstacle) {
            case .answer(let preparation): return preparation
            case .refuse(let problem): throw problem
            case .wait: await waiters.waitForChange()
            case .begin:
                var result = await resolved(settings)
                if case .success(let prepared) = result, prepared.stream != nil,
                    let obstacle = stream.obstacle(besides: self)
                {
                    result = .failure(obstacle)
                }
                let answer = controls.transactions.prepared(id, result, at: now)
                waiters.wake()
                return try answer.get()
            }
        }
    }

    private func resolved(_ settings: CaptureSettings) async -> Result<PreparedSettings, RigProblem> {
        do throws(RigProblem) {
            guard session.isRunning else {
                throw RigProblem(
                    .notRunning,
                    "\(device) is not streaming: \(session.stateDescription); settings are given to cameras that stream"
                )
            }
            // The values read below will be put back, so they must not be those that a capture has set.
            let offers = settings.concernsStream ? try await session.offers() : session.knowledge.offers ?? []
            return session.resolve(settings, try await controls.asFound(), offers)
        } catch {
            return .failure(error)
        }
    }

    private func commit(_ id: SettingsID, at time: RigTime) async throws(RigProblem) -> SettingsEffect {
        while true {
            let verdict = controls.transactions.commit(
                id, time: session.rigClock.localTime(at: time), at: now, limit: session.policy.maximumLead,
                obstacle: obstacle ?? streamObstacle(of: id))
            switch verdict {
            case .answer(let effect): return effect
            case .refuse(let problem): throw problem
            case .wait: await waiters.waitForChange()
            case .begin:
                await apply(id, at: time)
                waiters.wake()
            }
        }
    }

    private func undo(_ id: SettingsID) async throws(RigProblem) {
        while true {
            let obstacle =
                self.obstacle ?? streamObstacle(of: id) ?? (controls.areAsFound ? nil : controls.notPutBack)
            switch controls.transactions.undo(id, at: now, obstacle: obstacle) {
            case .undone:
                waiters.wake()
                return
            case .refuse(let problem): throw problem
            case .wait: await waiters.waitForChange()
            case .putBack(let values, let stream):
                waiters.wake()
                return try await putBack(values, stream, id)
            }
        }
    }

    /// Why the stream cannot be opened again at present, for a transaction that opens it again.
    private func streamObstacle(of id: SettingsID) -> RigProblem? {
        controls.transactions.reopensStream(id) ? stream.obstacle(besides: self) : nil
    }
}
