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
    private let captures: PendingCaptures
    private let meter: SceneMeter
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
    /// How it is found out which frames have values that no transaction has set at an instant.
    private var restoration: Restoration?

    enum Loading {
        case due, underWay, done
    }

    private struct Restoration {
        /// The change of `controls.revisions` that it is.
        var number: UInt64
        var changes: [ControlChange]
        var began: LocalTime
        var accepted: LocalTime
        /// nil until a frame shows whether frames state their values.
        var watch: ChangeoverWatch?
    }
    /// What is set when the stream is open that a transaction opens.
    var opening: StreamOpening?
    /// Wake the calls that carry out commits. More than one only while an earlier one ends.
    private var alarms: [SettingsID: Alarm] = [:]
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
        controls.transactions.streamEnded(because: reason)
        wake()
    }

    func settings(at sequence: UInt64) -> FrameSettings? { controls.revisions.settings(at: sequence) }

    /// Whether a capture is being armed, which no output waits for yet.
    var isCaptureBeingArmed: Bool { captures.isBeingArmed }

    // MARK: Steps

    func carryOut(
        _ step: SettingsStep, of id: SettingsID
    ) async throws(CaptureProblem) -> SettingsStepResult {
        switch step {
        case .prepare(let settings):
            if let deferral = deferral(of: id, settings) { return .prepared(deferral) }
            return .prepared(try await prepare(id, settings))
        case .commit(let time):
            if let reason = try await deferCommit(id) { return .deferred(reason) }
            // A camera that has started since it was prepared.
            if let waiting = prepared.first(where: { $0.id == id }) { _ = try await prepare(id, waiting.settings) }
            return .applied(try await commit(id, at: time))
        case .undo:
            if try await !undoDeferred(id) {
                guard !desired.isReplaced(id) else {
                    throw CaptureProblem(
                        .conflict,
                        "\(device): settings transaction \(id) cannot be undone: a later one has set the camera")
                }
                try await undo(id)
            }
            return .undone
        }
    }

    /// Why the controls cannot be had, apart from other transactions.
    private var obstacle: CaptureProblem? {
        guard captures.isCameraTaken else { return nil }
        return CaptureProblem(
            .conflict,
            "\(device): a capture with flash or bracket, or larger than the stream, has the camera; try again when it has ended"
        )
    }

    private func prepare(
        _ id: SettingsID, _ settings: CaptureSettings
    ) async throws(CaptureProblem) -> SettingsPreparation {
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

    private func resolved(_ settings: CaptureSettings) async -> Result<PreparedSettings, CaptureProblem> {
        do throws(CaptureProblem) {
            guard session.isRunning else {
                throw CaptureProblem(
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
    ) -> Result<PreparedSettings, CaptureProblem> {
        guard let format = session.stream?.format else {
            return .failure(CaptureProblem(.notRunning, "\(device) is not open: \(session.stateDescription)"))
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

    private func commit(_ id: SettingsID, at time: RigTime) async throws(CaptureProblem) -> SettingsEffect {
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

    private func undo(_ id: SettingsID) async throws(CaptureProblem) {
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

    // MARK: Setting

    /// Sets controls by name, for a client.
    func setControls(_ values: [String: Int64]) async throws(CaptureProblem) -> [String: Int64] {
        let before = lastBefore(now)
        let read = try await controls.set(values) { obstacle }
        begin(nil, values, after: before)
        controls.revisions.accepted()
        await keep(byName: read)
        return read
    }

    /// Sets the controls at T minus the lead, and watches the frames. Returns when the transaction has its outcome.
    private func apply(_ id: SettingsID, at time: RigTime) async {
        let alarm = Alarm(clock: session.clock)
        alarms[id] = alarm
        defer { alarms[id] = nil }
        await waitForTime(time, of: id, alarm)
        guard let prepared = controls.transactions.beginSetting(id) else { return }
        let watch: SettingsMachine.Confirmation?
        if let exchange = prepared.stream {
            watch = await reopen(exchange, prepared, of: id)
        } else {
            watch = await set(prepared, of: id)
        }
        wake()
        if let watch { await confirm(watch, of: id, alarm) }
        await tell(id)
    }

    /// Returns when the controls must be set, or the transaction has ended.
    private func waitForTime(_ time: RigTime, of id: SettingsID, _ alarm: Alarm) async {
        while let prepared = controls.transactions.waiting(id) {
            // The estimate of rig time moves by microseconds, so the instant is converted again each time.
            guard let target = session.rigClock.localTime(at: time) else {
                return controls.transactions.giveUp(id, because: controls.transactions.unsynchronized)
            }
            let instant = (prepared.leadsToFrame ? nearestFrame(to: target) : target) - prepared.preparation.lead
            guard instant > now else { return }
            guard !Task.isCancelled else {
                return controls.transactions.giveUp(id, because: session.shuttingDown)
            }
            await alarm.wait(until: instant)
        }
    }

    /// Returns the middle of exposure of the frame nearest to an instant. A camera acts with a frame, so it is as late as was
    /// measured only if it is set as long before one.
    private func nearestFrame(to instant: LocalTime) -> LocalTime {
        guard let last = controls.frames.last?.midExposure, session.interval > .zero else { return instant }
        let frames = (Double((instant - last).nanoseconds) / Double(session.interval.nanoseconds)).rounded()
        return last + session.interval * Int(frames)
    }

    /// - Returns: How the change is watched; nil if it has failed.
    private func set(_ prepared: PreparedSettings, of id: SettingsID) async -> SettingsMachine.Confirmation? {
        do throws(CaptureProblem) {
            let (isOldKnown, since) = (controls.isSettled, controls.revisions.newestIsSince)
            controls.revisions.begin(
                id, after: lastBefore(now)?.sequence, exposures: prepared.changes.exposures(interval: session.interval))
            restoration = nil
            let read = try await controls.set(prepared.values)
            controls.revisions.accepted()
            await keep(read.values, of: id)
            let changes = prepared.changes.map { change in
                var change = change
                change.new = read.values[change.control] ?? change.new
                return change
            }
            let watch = ChangeoverWatch(
                changes, began: read.began, accepted: read.accepted, interval: session.interval,
                newest: controls.frames.last, isOldKnown: isOldKnown,
                hasPictures: session.ring.newest?.picture != nil)
            controls.transactions.accepted(
                id, SettingsMachine.Confirmation(watch: watch, controls: read.values, oldSince: since))
            return controls.transactions.confirmation(of: id)
        } catch {
            controls.transactions.failed(id, error)
            return nil
        }
    }

    private func confirm(
        _ confirmation: SettingsMachine.Confirmation, of id: SettingsID, _ alarm: Alarm
    ) async {
        let watch = confirmation.watch
        var pictures = PictureWatch(confirmation)
        while controls.transactions.confirmation(of: id) != nil {
            // Frames that arrive meanwhile are looked at together with those that could be measured.
            let frames = Array(controls.frames)
            let due = pictures?.due(in: session.ring) ?? []
            await pictures?.measure(due, meter)
            guard controls.transactions.confirmation(of: id) != nil else { return }
            // A task that is cancelled learns nothing more.
            let instant = Task.isCancelled ? watch.deadline : now
            if let observed = watch.observed(in: frames, pictures: pictures?.step, at: instant) {
                if observed.firstNew == nil || confirmation.reopening?.isSettled != false {
                    controls.revisions.decide(observed)
                    if observed.firstNew != nil { controls.noteSettled() }
                }
                let change = confirmation.reopening?.completed(observed) ?? observed
                return controls.transactions.confirmed(id, effect(change, confirmation))
            }
            await alarm.wait(until: watch.deadline)
        }
    }

    private func effect(
        _ change: ObservedChangeover, _ confirmation: SettingsMachine.Confirmation
    ) -> Result<SettingsEffect, CaptureProblem> {
        do throws(CaptureProblem) {
            return .success(
                SettingsEffect(
                    accepted: try session.rigTime(at: confirmation.watch.accepted), controls: confirmation.controls,
                    change: SettingsChangeover(
                        evidence: change.evidence, lastOld: try mark(change.lastOld),
                        firstNew: try mark(change.firstNew),
                        streamReopened: confirmation.reopening == nil ? nil : true)))
        } catch {
            return .failure(CaptureProblem(error.code, "\(error.message); the values are set"))
        }
    }

    private func mark(_ frame: FrameFacts?) throws(CaptureProblem) -> FrameMark? {
        guard let frame else { return nil }
        let mid = try session.rigTime(at: frame.midExposure)
        return FrameMark(
            sequence: frame.sequence,
            midExposure: BoundedRigTime(time: mid.time, bound: mid.bound + frame.stampBound))
    }

    private func putBack(
        _ values: [String: Int64], _ stream: StreamExchange?, _ id: SettingsID
    ) async throws(CaptureProblem) {
        var problem: CaptureProblem?
        do throws(CaptureProblem) {
            let revision = controls.revisions.replaced(by: id)
            if let stream, stream.isConfigured(in: session.setup.configuration) {
                restoration = nil
                try await reopen(undoing: stream, StreamOpening(revision, puttingBack: values))
            } else {
                begin(revision, values, after: lastBefore(now))
                _ = try await controls.set(values)
                controls.revisions.accepted()
            }
            await keep(undoing: id, values)
        } catch {
            problem = CaptureProblem(
                error.code, "\(error.message); settings transaction \(id) is not undone, try again")
        }
        controls.transactions.putBack(id, isDone: problem == nil)
        wake()
        await session.tell([.settings(device, .undone(id, problem))])
        if let problem { throw problem }
    }

    /// Notes that controls are set without knowing their present values.
    private func begin(_ revision: SettingsID?, _ values: [String: Int64], after frame: FrameFacts?) {
        let changes = values.map { ControlChange(control: $0.key, old: nil, new: $0.value) }
        restoration = nil
        controls.revisions.begin(
            revision, after: frame?.sequence, exposures: changes.exposures(interval: session.interval))
    }

    /// Sets controls that differ from what is desired, and has the frames watched for them.
    /// - Parameter frame: The number of the last frame that surely has the desired values; nil if no frame has.
    /// - Returns: The values read back.
    func set(
        _ differences: [ControlDifference], _ revision: SettingsID?, after frame: UInt64?
    ) async throws(CaptureProblem) -> [String: Int64] {
        let changes = differences.map { ControlChange(control: $0.control, old: $0.found, new: $0.desired) }
        if frame == nil { controls.revisions.notFound() }
        controls.revisions.begin(revision, after: frame, exposures: changes.exposures(interval: session.interval))
        let read = try await controls.set(Dictionary(changes.map { ($0.control, $0.new) }, uniquingKeysWith: { $1 }))
        controls.revisions.accepted()
        restoration = Restoration(
            number: controls.revisions.number, changes: changes, began: read.began, accepted: read.accepted)
        return read.values
    }

    private func watchRestoration() {
        // Once anything else sets the camera, the frames do not show these values.
        guard let begun = restoration, begun.number == controls.revisions.number else {
            restoration = nil
            return
        }
        let watch =
            begun.watch
            ?? ChangeoverWatch(
                begun.changes, began: begun.began, accepted: begun.accepted, interval: session.interval,
                newest: controls.frames.last, isOldKnown: false)
        restoration?.watch = watch
        guard let change = watch.observed(in: Array(controls.frames), at: now) else { return }
        restoration = nil
        controls.revisions.decide(change, isOldKnown: false)
        if change.firstNew != nil { controls.noteSettled() }
    }

    /// Returns the last frame whose exposure surely ended before an instant.
    func lastBefore(_ instant: LocalTime) -> FrameFacts? {
        controls.frames.last { $0.ended(before: instant, longest: session.interval) }
    }

    private func tell(_ id: SettingsID) async {
        // One that is being undone is reported by the call that undoes it.
        guard controls.transactions.active?.id != id,
            let record = controls.transactions.records.last(where: { $0.id == id })
        else { return }
        switch record.fate {
        case .set(let effect): await session.tell([.settings(device, .changed(id, .success(effect)))])
        case .failed(let problem): await session.tell([.settings(device, .changed(id, .failure(problem)))])
        case .dropped, .undone, .outOfReach: break
        }
    }

    // MARK: Waiting

    private func waitForChange() async {
        await withCheckedContinuation { waiters.append($0) }
    }

    private func ringAlarms() {
        for alarm in alarms.values { alarm.ring() }
    }

    private func wake() {
        ringAlarms()
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}
