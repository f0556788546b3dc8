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
    /// What the camera is to have.
    var desired = DesiredControls()
    /// The format that a transaction was the last to request; not kept when the agent ends.
    var requestedStream: StreamExchange?
    /// Whether ``desired`` is what is stored.
    var loading = Loading.due
    var loadWaiters: [CheckedContinuation<Void, Never>] = []
    /// The newest frame when the camera was last looked at and had what it is to have.
    var lastChecked: UInt64?
    /// Settings that were prepared while the camera did not stream, and the newest ones that were committed so.
    var prepared: [DeferredSettings] = []
    var begun: [SettingsID] = []
    /// What is to be told of a refocusing that the end of the stream has cut off.
    var interruptedRefocus: Refocus?
    /// How it is found out which frames have values that no transaction has set at an instant.
    var restoration: SettingsRestoration?

    enum Loading {
        case due, underWay, done
    }

    /// What is set when the stream is open that a transaction opens.
    var opening: StreamOpening?
    /// Wake the calls that carry out commits. More than one only while an earlier one ends.
    var alarms: [SettingsID: Alarm] = [:]
    /// The calls that wait for another state. Bounded by the requests that a node carries out at a time.
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ session: any SessionAccess, controls: CameraControls, captures: PendingCaptures) {
        self.session = session
        self.controls = controls
        self.captures = captures
        meter = session.services.sceneMeter ?? SceneMeter(executor: session.services.executor)
    }

    var device: DeviceID { session.device.id }
    var now: LocalTime { session.clock.now() }
    var isCameraTaken: Bool { captures.isCameraTaken }
    var newestFrame: UInt64? { controls.frames.last?.sequence }

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
        (restoration, lastChecked) = (nil, nil)
        controls.streamOpened()
        if opening == nil { await restoreDesired() } else { await setReopened(after: last) }
    }

    func receive(_ frame: RingFrame, from stream: OpenStream) {
        controls.receive(FrameFacts(frame, isStated: stream.stream.statesFrameValues))
        watchRestoration()
        ringAlarms()
    }

    func update() async {
        controls.transactions.expire(at: now)
        await checkDrift()
        await refocus()
    }

    func streamClosed(_ stream: OpenStream) { streamEnded(because: session.stateDescription) }

    func framesLost(because reason: String) async { streamEnded(because: reason) }

    func deviceExchanged() {
        controls.transactions.deviceExchanged(to: device)
        controls.revisions = SettingsRevisions()
        (desired, loading, restoration) = (DesiredControls(), .due, nil)
        (prepared, begun, requestedStream) = ([], [], nil)
        wake()
    }

    func sessionEnded() async { streamEnded(because: "the node is shutting down") }

    private func streamEnded(because reason: String) {
        if let cut = controls.refocusing.streamEnded() {
            interruptedRefocus = cut.refocus
            if cut.number == controls.revisions.number { controls.revisions.accepted() }
        }
        controls.transactions.streamEnded(because: reason)
        wake()
    }

    func settings(at sequence: UInt64) -> FrameSettings? { controls.revisions.settings(at: sequence) }

    /// Whether a capture is being armed, which no output waits for yet.
    var isCaptureBeingArmed: Bool { captures.isBeingArmed }

    // MARK: Steps

    func carryOut(
        _ step: SettingsStep, of id: SettingsID
    ) async throws(RigProblem) -> SettingsStepResult {
        await awaitRefocus()
        switch step {
        case .prepare(let settings):
            try await requireNotGivenUp(id)
            if let deferral = deferral(of: id, settings) { return .prepared(deferral) }
            return .prepared(try await prepare(id, settings))
        case .commit(let time):
            if let reason = try await deferCommit(id) { return .deferred(reason) }
            // A camera that has started since it was prepared.
            if let index = prepared.firstIndex(where: { $0.id == id }) {
                _ = try await prepare(id, prepared.remove(at: index).settings)
            }
            return .applied(try await commit(id, at: time))
        case .undo:
            try await undoWhatever(id)
            return .undone
        case .giveUp:
            let isUnset = controls.transactions.isUnset(id) || prepared.contains { $0.id == id }
            try await undoWhatever(id)
            if isUnset { await giveUp(id) }
            return .undone
        }
    }

    /// Undoes a transaction, whether it has set the camera, or waits for its start.
    private func undoWhatever(_ id: SettingsID) async throws(RigProblem) {
        guard try await !undoDeferred(id) else { return }
        guard !desired.isReplaced(id) else {
            throw RigProblem(
                .conflict, "\(device): settings transaction \(id) cannot be undone: a later one has set the camera")
        }
        try await undo(id)
    }

    /// Drops what an earlier run of the coordinator had prepared, and will not commit.
    func dropPrepared() {
        controls.transactions.dropPrepared()
        prepared = []
        wake()
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
            case .wait: await waitForChange()
            case .begin:
                var result = await resolved(settings)
                if case .success(let prepared) = result, prepared.stream != nil, let streamObstacle {
                    result = .failure(streamObstacle)
                }
                let answer = controls.transactions.prepared(id, result, at: now)
                wake()
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
            return resolved(settings, try await controls.asFound(), offers)
        } catch {
            return .failure(error)
        }
    }

    /// - Parameter present: The controls of the open stream.
    /// - Parameter offers: The formats of the camera; those that are known where nil.
    func resolved(
        _ settings: CaptureSettings, _ present: [DeviceControl], _ offers: [FormatOffer]? = nil
    ) -> Result<PreparedSettings, RigProblem> {
        guard let format = session.stream?.agreedFormat else {
            return .failure(RigProblem(.notRunning, "\(device) is not open: \(session.stateDescription)"))
        }
        let hardware = session.knowledge.hardware
        let camera = SettableCamera(
            DeviceCapabilities(formats: offers ?? session.knowledge.offers ?? [], controls: present), format: format,
            peculiarities: session.services.peculiarities(
                make: hardware.make, model: hardware.model, in: format))
        return .success(
            PreparedSettings(
                settings, for: camera, interval: session.interval,
                configured: ConfiguredFormat(session.setup.configuration)))
    }

    private func commit(_ id: SettingsID, at time: RigTime) async throws(RigProblem) -> SettingsEffect {
        while true {
            let verdict = controls.transactions.commit(
                id, time: session.rigClock.localTime(at: time), at: now, limit: session.policy.maximumLead,
                obstacle: obstacle ?? streamObstacle(of: id))
            switch verdict {
            case .answer(let effect): return effect
            case .refuse(let problem): throw problem
            case .wait: await waitForChange()
            case .begin:
                await apply(id, at: time)
                wake()
            }
        }
    }

    private func undo(_ id: SettingsID) async throws(RigProblem) {
        while true {
            let obstacle =
                self.obstacle ?? streamObstacle(of: id) ?? (controls.areAsFound ? nil : controls.notPutBack)
            switch controls.transactions.undo(id, at: now, obstacle: obstacle) {
            case .undone:
                wake()
                return
            case .refuse(let problem): throw problem
            case .wait: await waitForChange()
            case .putBack(let values, let stream):
                wake()
                return try await putBack(values, stream, id)
            }
        }
    }

    /// Returns the last frame whose exposure surely ended before an instant.
    func lastBefore(_ instant: LocalTime) -> FrameFacts? {
        controls.frames.last { $0.ended(before: instant, longest: session.interval) }
    }

    // MARK: Waiting

    func waitForChange() async {
        await withCheckedContinuation { waiters.append($0) }
    }

    private func ringAlarms() {
        for alarm in alarms.values { alarm.ring() }
    }

    func wake() {
        ringAlarms()
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}
