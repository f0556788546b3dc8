import CaptureModel
import StorageKit

/// A settings transaction of the rig: what each camera has answered, what is next, and the report.
///
/// | phase | a camera answers | when all have answered |
/// |---|---|---|
/// | preparing | it is ready, or refused | no camera is ready, or all are required and one is refused or does not stream: undoing those that are ready; otherwise committing |
/// | committing | it has the settings, or will have them when it starts, or failed, or was lost | all are required and one does not have them: undoing the others; otherwise ended |
/// | undoing | it has its earlier values, or that failed, or it was lost | ended |
/// | ended | – | – |
///
/// A camera whose node does not answer prepare was not set. It gets the settings when its node joins, if they may wait for that. A node that
/// answers that the transaction was given up before makes it refused by all.
///
/// A camera that is told to set and does not answer is lost: whether it was changed is not known. A value without a clock or a socket.
///
/// A repeat of a transaction that an earlier run of the coordinator has committed takes the same steps, which a node answers with what it has
/// done. A camera whose node does not say so is lost, since it may have been set. If the earlier run had ended the transaction, nothing is
/// undone.
struct SettingsTransaction: Sendable {
    /// What the cameras are to do next.
    enum Step: Hashable {
        case prepare([DeviceID])
        case commit([DeviceID])
        case undo([DeviceID])
        case end
    }

    /// What a camera that has accepted the settings answers at T.
    enum Commitment: Hashable {
        case applied(SettingsEffect)
        /// It does not stream, for this reason.
        case deferred(RigProblem)
    }

    private enum State: Hashable {
        /// Not asked yet.
        case selected
        case ready(SettingsPreparation)
        case ended(CameraSettingsOutcome)
    }

    private enum Unanswered: Hashable {
        case prepare
        case commit
        case undo(SettingsStep)
    }

    private enum Phase: Hashable {
        case preparing
        case committing
        case undoing(because: RigProblem)
        case ended
    }

    let request: SettingsRequest
    let earlier: CommittedSettings?
    private(set) var order: SettingsOrder
    private var states: [DeviceID: State]
    private var preparations: [DeviceID: SettingsPreparation] = [:]
    private var awaited: Set<DeviceID> = []
    /// The last steps that cameras' nodes have not answered.
    private var unanswered: [DeviceID: Unanswered] = [:]
    /// What a node has answered that has given the transaction up before.
    private var givenUp: RigProblem?
    private var phase = Phase.preparing
    /// Whether it is stored that cameras may have been told to set.
    private var isCommitted = false

    /// - Parameters:
    ///   - order: Its cameras, and what each is asked.
    ///   - earlier: What an earlier run of the coordinator has stored of it; nil if it has not committed it.
    init(_ request: SettingsRequest, _ order: SettingsOrder, earlier: CommittedSettings? = nil) {
        self.request = request
        self.order = order
        self.earlier = earlier
        states = Dictionary(
            uniqueKeysWithValues: order.cameras.map { ($0, order.ended[$0].map(State.ended) ?? .selected) })
    }

    /// The selected cameras.
    var devices: [DeviceID] { order.cameras }

    /// The longest time before T at which a camera sets its controls.
    var lead: Duration { preparations.values.map(\.lead).max() ?? .zero }

    /// Begins the first step.
    mutating func begin() -> Step {
        if earlier?.state == .refused {
            for device in devices { states[device] = .ended(.refused(Self.refusedBefore)) }
            return end()
        }
        awaited = Set(order.open)
        if let culprit = devices.first(where: isMissing), request.requireAll, earlier == nil {
            for device in order.open + order.away {
                states[device] = .ended(.refused(Self.missing(culprit, "does not accept the settings")))
            }
            return end()
        }
        guard awaited.isEmpty else { return .prepare(order.open) }
        return order.away.isEmpty ? end() : committing()
    }

    /// Whether a camera that is not asked does not get the settings.
    private func isMissing(_ device: DeviceID) -> Bool {
        switch order.ended[device] {
        case nil, .undone, .set, .rounded: false
        case .deferred, .refused, .failed, .lost: true
        }
    }

    // MARK: Answers

    /// Notes a camera's answer to ``Step/prepare(_:)``.
    /// - Returns: The next step, if this was the last answer.
    mutating func prepared(_ device: DeviceID, _ answer: Result<SettingsPreparation, RigProblem>) -> Step? {
        guard phase == .preparing, awaited.remove(device) != nil else { return nil }
        switch answer {
        case .success(let preparation):
            preparations[device] = preparation
            if preparation.isDeferred, !preparation.isRefused, request.requireAll, earlier == nil {
                states[device] = .ended(
                    .refused(
                        RigProblem(
                            .notRunning, "all cameras are required, and \(device) does not stream; start it first")))
            } else if preparation.isDeferred, isReplaced(device) {
                // It would be given what it was given before, over anything later.
                states[device] = .ended(.lost(Self.unknown(Self.stopped(device))))
            } else {
                states[device] =
                    preparation.isRefused ? .ended(.refused(preparation.problem(of: device))) : .ready(preparation)
            }
        case .failure(let problem) where earlier != nil:
            states[device] = .ended(
                problem.code == .cancelled ? .undone(problem) : .lost(Self.unknown(problem)))
        case .failure(let problem) where problem.isOfRelay:
            unanswered[device] = .prepare
            if order.mayPostpone, !request.requireAll {
                order.postpone(device)
                states[device] = .ended(
                    .deferred(Self.unasked(device, problem, "it gets the settings when that joins")))
            } else {
                states[device] = .ended(.refused(Self.unasked(device, problem, "is it running and on the network?")))
            }
        case .failure(let problem):
            if problem.code == .cancelled { givenUp = problem }
            states[device] = .ended(.refused(problem))
        }
        guard awaited.isEmpty else { return nil }
        if let givenUp { return giveUp(because: givenUp) }
        if earlier?.state == .ended {
            guard devices.contains(where: isReady) else { return end() }
            return committing()
        }
        let culprit = order.open.first { !isReady($0) || request.requireAll && preparations[$0]?.isDeferred == true }
        // Those that are away get the settings, whatever becomes of the others.
        let hasTakers = devices.contains(where: isReady) || !order.away.isEmpty
        if let culprit, request.requireAll || !hasTakers {
            let isStopped = preparations[culprit].map { $0.isDeferred && !$0.isRefused } == true
            return undo(
                because: Self.missing(culprit, isStopped ? "does not stream" : "does not accept the settings"))
        }
        return committing()
    }

    /// Whether an earlier run has ended the transaction, and the camera did not wait for its start then.
    private func isReplaced(_ device: DeviceID) -> Bool {
        guard let earlier, earlier.state == .ended else { return false }
        return earlier.past?.cameras.first { $0.device == device }?.outcome != .deferred
    }

    /// Notes that cameras may be told to set.
    mutating func committed() { isCommitted = true }

    private mutating func committing() -> Step {
        phase = .committing
        awaited = Set(devices.filter(isReady))
        return .commit(devices.filter(isReady))
    }

    /// The cameras that did not stream when they were prepared.
    var deferred: Set<DeviceID> { Set(preparations.filter(\.value.isDeferred).map(\.key)) }

    /// Notes what a camera has made of the settings that has started since it was prepared.
    mutating func learn(_ preparation: SettingsPreparation, of device: DeviceID) {
        if preparations[device]?.isDeferred == true { preparations[device] = preparation }
    }

    /// Gives up before T: the cameras that are ready drop what they have prepared.
    mutating func giveUp(because problem: RigProblem) -> Step {
        for device in devices where isReady(device) || order.away.contains(device) {
            states[device] = .ended(.refused(problem))
        }
        phase = .undoing(because: problem)
        return undoing(devices.filter { preparations[$0]?.isRefused == false })
    }

    /// Notes a camera's answer to ``Step/commit(_:)``.
    /// - Returns: As ``prepared(_:_:)``.
    mutating func committed(_ device: DeviceID, _ answer: Result<Commitment, RigProblem>) -> Step? {
        guard phase == .committing, awaited.remove(device) != nil else { return nil }
        note(answer, of: device, .commit)
        switch answer {
        case .success(.deferred(let problem)):
            states[device] = .ended(.deferred(problem))
        case .success(.applied(let effect)):
            let isRounded = preparations[device]?.outcomes.isRounded == true
            states[device] = .ended(isRounded ? .rounded(effect) : .set(effect))
        case .failure(let problem) where earlier == nil:
            states[device] = .ended(problem.isOfRelay ? .lost(problem) : .failed(problem))
        case .failure(let problem):
            states[device] = .ended(problem.code == .cancelled ? .undone(problem) : .lost(Self.unknown(problem)))
        }
        guard awaited.isEmpty else { return nil }
        guard request.requireAll, earlier?.state != .ended, let culprit = order.open.first(where: { !hasSettings($0) })
        else { return end() }
        return undo(because: Self.missing(culprit, "does not have the settings"))
    }

    /// Notes what cameras that were told to set have answered when somebody has cancelled the transaction.
    mutating func cancelled(_ answers: [DeviceID: Result<Void, RigProblem>], _ reason: RigProblem) {
        for (device, answer) in answers {
            guard case .success = answer else {
                if unanswered[device] != nil { unanswered[device] = .undo(.undo) }
                continue
            }
            switch states[device] {
            case .ended(.set), .ended(.rounded), .ended(.deferred), .ended(.undone), .ended(.lost), .ended(.failed):
                states[device] = .ended(.undone(reason))
                unanswered[device] = nil
            case .selected, .ready, .ended(.refused), nil: break
            }
        }
    }

    /// Notes a camera's answer to ``Step/undo(_:)``.
    /// - Returns: As ``prepared(_:_:)``.
    mutating func undone(_ device: DeviceID, _ answer: Result<Void, RigProblem>) -> Step? {
        guard case .undoing(let reason) = phase, awaited.remove(device) != nil else { return nil }
        note(answer, of: device, .undo(undoStep))
        switch (answer, states[device]) {
        // It was not changed, whatever it answers.
        case (_, .ended(.refused)): break
        case (.success, .ready), (.success, .ended(.set)), (.success, .ended(.rounded)), (.success, .ended(.deferred)):
            states[device] = .ended(.undone(reason))
        // What has become of it before is said already, and undoing it did no harm.
        case (.success, _): break
        case (.failure(let problem), .ready) where earlier == nil: states[device] = .ended(.refused(problem))
        // An earlier run of the coordinator may have told it to set.
        case (.failure(let problem), .ready) where !problem.isOfRelay && problem.code != .expired:
            states[device] = .ended(.failed(Self.kept(device, problem)))
        case (.failure(let problem), _):
            // A node that does not know the transaction was restarted after it was told to set.
            states[device] = .ended(
                problem.isOfRelay || problem.code == .expired ? .lost(problem) : .failed(problem))
        }
        return awaited.isEmpty ? end() : nil
    }

    private mutating func note<Answer>(
        _ answer: Result<Answer, RigProblem>, of device: DeviceID, _ step: Unanswered
    ) {
        if case .failure(let problem) = answer, problem.isOfRelay {
            unanswered[device] = step
        } else {
            unanswered[device] = nil
        }
    }

    // MARK: Steps

    /// How cameras are told to undo: those of a transaction that no run of the coordinator has committed never prepare it again.
    var undoStep: SettingsStep { isCommitted || earlier != nil || order.isDelivery ? .undo : .giveUp }

    /// What the nodes that have not answered are to be told when they are back. Not those of cameras that get the settings then.
    /// - Parameter time: T; nil if it was not chosen.
    func untold(at time: RigTime?) -> [DeviceID: SettingsStep] {
        // What is delivered is tried again.
        guard !order.isDelivery else { return [:] }
        return unanswered.compactMapValues { step in
            switch step {
            case .prepare: .giveUp
            case .commit: time.map { .commit(at: $0) }
            case .undo(let step): step
            }
        }
        .filter { device, _ in
            if case .ended(.deferred) = states[device] { false } else { true }
        }
    }

    private mutating func undo(because reason: RigProblem) -> Step {
        phase = .undoing(because: reason)
        // One that failed or was lost may have been changed too.
        return undoing(devices.filter { preparations[$0]?.isRefused == false })
    }

    private mutating func undoing(_ devices: [DeviceID]) -> Step {
        awaited = Set(devices)
        return devices.isEmpty ? end() : .undo(devices)
    }

    private mutating func end() -> Step {
        phase = .ended
        return .end
    }

    private func isReady(_ device: DeviceID) -> Bool {
        if case .ready = states[device] { true } else { false }
    }

    private func hasSettings(_ device: DeviceID) -> Bool {
        switch states[device] {
        case .ended(.set), .ended(.rounded): true
        default: false
        }
    }

    private static let refusedBefore = RigProblem(
        .cancelled,
        "the settings were refused before the coordinator was restarted, and no camera was set; use another id")

    private static func unknown(_ problem: RigProblem) -> RigProblem {
        RigProblem(
            problem.code,
            "before the coordinator was restarted, it may have been set; its node no longer knows: \(problem.message)"
        )
    }

    private static func kept(_ device: DeviceID, _ problem: RigProblem) -> RigProblem {
        RigProblem(
            problem.code,
            "before the coordinator was restarted, \(device) may have been set, and it did not undo that: \(problem.message)"
        )
    }

    private static func unasked(
        _ device: DeviceID, _ problem: RigProblem, _ remedy: String
    ) -> RigProblem {
        RigProblem(
            problem.code,
            "\(device) was not changed, because the agent of node '\(device.node)' did not answer; \(remedy)")
    }

    private static func stopped(_ device: DeviceID) -> RigProblem {
        RigProblem(.notRunning, "\(device) does not stream")
    }

    private static func missing(_ device: DeviceID, _ what: String) -> RigProblem {
        RigProblem(.cancelled, "all cameras are required, and \(device) \(what)")
    }

    // MARK: The report

    /// What has become of every camera. Complete at ``Step/end``.
    var cameras: [CameraSettingsReport] {
        devices.compactMap { device in
            guard case .ended(let outcome) = states[device] else { return nil }
            let preparation = preparations[device]
            return CameraSettingsReport(
                device: device, entries: preparation?.outcomes ?? [], notes: preparation?.notes ?? [],
                outcome: outcome)
        }
    }

    /// Returns settings that give a camera the values that it had before; nil if they are not known.
    func earlier(of device: DeviceID) -> CaptureSettings? { preparations[device]?.earlier }

    /// What the next runs and an undo need to know.
    func past(by principal: Principal, at realtimeNanoseconds: Int64) -> PastSettings {
        PastSettings(
            id: request.id, realtimeNanoseconds: realtimeNanoseconds, principal: principal.name,
            profile: order.profile, undoes: order.undoes, undoesRun: order.undoesRun, run: request.run,
            cameras: devices.map { device in
                var outcome: CameraSettingsOutcome.Word?
                if case .ended(let ended) = states[device] { outcome = ended.word }
                return PastSettings.Camera(
                    device: device, settings: order.settings[device] ?? CaptureSettings(),
                    earlier: preparations[device]?.earlier, outcome: outcome,
                    awaitsNode: outcome == .deferred && order.away.contains(device),
                    undone: order.undoesRun == nil ? [] : order.undone[device] ?? [])
            })
    }

    /// Whether a camera was told to set.
    var hasReachedTime: Bool {
        states.values.contains { state in
            switch state {
            case .ended(.set), .ended(.rounded), .ended(.failed), .ended(.lost): true
            case .selected, .ready, .ended(.deferred), .ended(.refused), .ended(.undone): false
            }
        }
    }
}

extension SettingsPreparation {
    fileprivate func problem(of device: DeviceID) -> RigProblem {
        let reasons = outcomes.refusals.map(\.description).joined(separator: "; ")
        return RigProblem(.unsupportedSettings, "\(device) is not changed: \(reasons)")
    }
}

extension RigProblem {
    /// Whether the camera's node has not answered, so that it is not known what it has done.
    var isOfRelay: Bool { code == .nodeUnreachable || code == .agentRestarted }
}
