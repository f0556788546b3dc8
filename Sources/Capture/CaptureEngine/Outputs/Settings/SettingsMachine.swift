import CaptureModel

/// The settings transactions of one camera: one in progress at a time, and what has become of the newest ones.
///
/// | phase | the same prepare | another prepare | commit | undo | the stream ends |
/// |---|---|---|---|---|---|
/// | idle | begins: preparing | begins: preparing | `expired` | `expired` | – |
/// | preparing: the camera is being read | waits | `conflict` | waits | dropped | dropped |
/// | prepared, for ``SettingsStep/keepingTime`` | the same answer | `conflict` | waiting | dropped | dropped; a later commit is `expired` |
/// | waiting for T minus the lead | the same answer | `conflict` | waits | dropped | dropped: `deviceLost`, nothing was set |
/// | reopening the stream in another format | the same answer | `conflict` | waits | waits | expected: how it goes on decides |
/// | setting the controls | the same answer | `conflict` | waits | waits | `deviceLost`, the values may be set |
/// | confirming: watching the frames | the same answer | `conflict` | waits | undoing | `deviceLost`, the values may be set |
/// | undoing: putting the values back | the same answer | `conflict` | `cancelled` | waits | putting back fails |
///
/// If another run of the coordinator is joined, what is being prepared or is prepared is dropped, as when ``SettingsStep/keepingTime`` has passed.
///
/// The newest ``keptLimit`` transactions are kept when they have ended:
///
/// | fate | commit again | undo |
/// |---|---|---|
/// | dropped, refused: nothing was set | the same problem | nothing to undo |
/// | set | the same effect | undoing, if it is the newest that was set; otherwise `conflict` |
/// | failed: the values may be set | the same problem | as of set |
/// | undone | `cancelled` | undone already |
/// | out of reach: another camera is in the session | `deviceLost` | `deviceLost` |
///
/// A value without a clock or hardware: its owner passes the instants, carries out what a verdict says, and reports how
/// it went.
struct SettingsMachine: Sendable {
    /// The ended transactions that are kept.
    static let keptLimit = 16
    /// How late the controls may begin to be set.
    static let lateness = Duration.milliseconds(100)

    enum Phase: Hashable, Sendable {
        case preparing
        case prepared(PreparedSettings, until: LocalTime)
        case waiting(PreparedSettings)
        case reopening(PreparedSettings)
        case setting(PreparedSettings)
        case confirming(PreparedSettings, Confirmation)
        case undoing
    }

    /// What a camera has accepted, until the frames show it.
    struct Confirmation: Hashable, Sendable {
        var watch: ChangeoverWatch
        /// The controls, read back.
        var controls: [String: Int64]
        /// What else is known of a stream that was opened again; nil if it stayed open.
        var reopening: StreamReopening?
        /// The number of the first frame that surely has the values before; nil: every frame before has them.
        var oldSince: UInt64?
    }

    struct Active: Hashable, Sendable {
        let id: SettingsID
        let settings: CaptureSettings
        var phase: Phase
        /// Whether the stream is opened again, from prepare to outcome.
        var reopensStream = false
    }

    /// What has become of a transaction that has ended.
    enum Fate: Hashable, Sendable {
        /// Nothing was set.
        case dropped(RigProblem)
        case set(SettingsEffect)
        /// The values may be set.
        case failed(RigProblem)
        case undone
        /// Another camera has replaced the one that was set.
        case outOfReach(RigProblem)

        /// Whether the settings may still be set: they were dropped before T, for a reason that passes.
        fileprivate var canBePreparedAgain: Bool {
            guard case .dropped(let problem) = self else { return false }
            return [.expired, .unsynchronized, .tooSoon, .tooFarAhead, .conflict].contains(problem.code)
        }

        fileprivate var mayBeSet: Bool {
            switch self {
            case .set, .failed: true
            case .dropped, .undone, .outOfReach: false
            }
        }
    }

    struct Record: Hashable, Sendable {
        let id: SettingsID
        let settings: CaptureSettings
        let prepared: PreparedSettings
        var fate: Fate
    }

    /// What the caller of a step does.
    enum Verdict<Answer: Hashable & Sendable>: Hashable, Sendable {
        case answer(Answer)
        case refuse(RigProblem)
        /// Ask again when the state has changed.
        case wait
        case begin
    }

    /// What the caller of an undo does.
    enum UndoVerdict: Hashable, Sendable {
        /// The camera has the values that it had before.
        case undone
        case refuse(RigProblem)
        /// Ask again when the state has changed.
        case wait
        case putBack([String: Int64], stream: StreamExchange? = nil)
    }

    /// The camera, for the sentences of problems.
    private(set) var device: DeviceID
    private(set) var active: Active?
    /// In the order in which they ended.
    private(set) var records: [Record] = []

    init(device: DeviceID) {
        self.device = device
    }

    /// Returns the transaction that has the controls of the camera; nil if none has.
    func inProgress(at now: LocalTime) -> SettingsID? {
        if case .prepared(_, let until)? = active?.phase, until <= now { return nil }
        return active?.id
    }

    /// Returns the transaction that is about to open the stream again; nil if none is.
    func reopening(at now: LocalTime) -> SettingsID? {
        active?.reopensStream == true ? inProgress(at: now) : nil
    }

    /// Whether carrying out or undoing a transaction opens the stream again.
    func reopensStream(_ id: SettingsID) -> Bool {
        if let active, active.id == id { return active.reopensStream }
        return record(id)?.prepared.stream != nil
    }

    /// Whether a transaction is known, and has not begun to set the camera.
    func isUnset(_ id: SettingsID) -> Bool {
        if let active, active.id == id {
            switch active.phase {
            case .preparing, .prepared, .waiting: return true
            case .reopening, .setting, .confirming, .undoing: return false
            }
        }
        if case .dropped? = record(id)?.fate { return true }
        return false
    }

    /// Whether a transaction has ended, so that preparing it again says what it was and does not begin it.
    func isKnown(_ id: SettingsID, _ settings: CaptureSettings) -> Bool {
        record(id).map { $0.settings != settings || !$0.fate.canBePreparedAgain } == true
    }

    func problem(_ code: RigProblem.Code, _ text: String) -> RigProblem {
        RigProblem(code, "\(device): \(text)")
    }

    private func record(_ id: SettingsID) -> Record? { records.last { $0.id == id } }

    // MARK: Prepare

    /// - Parameter obstacle: Why the controls cannot be had at present, apart from other transactions.
    mutating func prepare(
        _ id: SettingsID, _ settings: CaptureSettings, at now: LocalTime, obstacle: RigProblem?
    ) -> Verdict<SettingsPreparation> {
        expire(at: now)
        // What was dropped before T can be prepared again, for a camera that gets its settings later.
        records.removeAll { $0.id == id && $0.settings == settings && $0.fate.canBePreparedAgain }
        if let known = active.flatMap({ $0.id == id ? $0.settings : nil }) ?? record(id)?.settings {
            guard known == settings else {
                return .refuse(problem(.conflict, "settings transaction \(id) has other settings; use another id"))
            }
            if let preparation = active.flatMap({ $0.id == id ? $0.phase.prepared : nil })?.preparation
                ?? record(id)?.prepared.preparation
            {
                return .answer(preparation)
            }
            return .wait
        }
        if let other = active?.id {
            return .refuse(
                problem(.conflict, "settings transaction \(other) is in progress; try again when it has ended"))
        }
        if let obstacle { return .refuse(obstacle) }
        active = Active(id: id, settings: settings, phase: .preparing)
        return .begin
    }

    /// Notes what the camera makes of the settings.
    mutating func prepared(
        _ id: SettingsID, _ result: Result<PreparedSettings, RigProblem>, at now: LocalTime
    ) -> Result<SettingsPreparation, RigProblem> {
        guard let active, active.id == id, active.phase == .preparing else {
            return .failure(problem(.cancelled, "settings transaction \(id) was dropped while it was prepared"))
        }
        switch result {
        case .success(let prepared) where prepared.preparation.isRefused:
            end(prepared, .dropped(problem(.unsupportedSettings, "the settings were refused, so nothing is set")))
        case .success(let prepared):
            self.active?.phase = .prepared(prepared, until: now + SettingsStep.keepingTime)
            self.active?.reopensStream = prepared.stream != nil
        case .failure: self.active = nil
        }
        return result.map(\.preparation)
    }

    /// Drops what was prepared too long ago.
    mutating func expire(at now: LocalTime) {
        guard case .prepared(let prepared, let until)? = active?.phase, until <= now else { return }
        let kept = SettingsStep.keepingTime
        end(
            prepared,
            .dropped(problem(.expired, "the settings were not committed within \(kept), so they were dropped")))
    }

    /// Drops what is prepared and not committed, because the coordinator that had it prepared has gone.
    mutating func dropPrepared() {
        switch active?.phase {
        case .preparing: active = nil
        case .prepared(let prepared, _):
            end(
                prepared,
                .dropped(
                    problem(
                        .expired,
                        "the coordinator was restarted before the settings were committed, so they were dropped")))
        case .waiting, .reopening, .setting, .confirming, .undoing, nil: break
        }
    }

    // MARK: Commit

    /// - Parameters:
    ///   - time: T on this machine's clock; nil if the node has no estimate of the rig's time.
    ///   - limit: How far ahead T may be.
    ///   - obstacle: Why the controls cannot be had at present.
    mutating func commit(
        _ id: SettingsID, time: LocalTime?, at now: LocalTime, limit: Duration, obstacle: RigProblem?
    ) -> Verdict<SettingsEffect> {
        expire(at: now)
        guard let active, active.id == id else { return committed(id) }
        switch active.phase {
        case .preparing, .waiting, .reopening, .setting, .confirming: return .wait
        case .undoing: return .refuse(problem(.cancelled, "settings transaction \(id) was undone"))
        case .prepared(let prepared, _):
            // Whatever is refused is dropped, so that the next transaction need not wait until this one expires.
            if let obstacle { return drop(prepared, obstacle) }
            guard let time else { return drop(prepared, unsynchronized) }
            guard time - now <= limit else {
                return drop(
                    prepared,
                    problem(
                        .tooFarAhead,
                        "T is \((time - now - limit).text) beyond the limit of \(limit.text) in the future"))
            }
            let late = now - (time - prepared.preparation.lead)
            guard late <= Self.lateness else {
                return drop(
                    prepared,
                    problem(
                        .tooSoon,
                        "the order to set the controls arrived \(late.text) after they had to be set for T, so nothing was set; choose a later T"
                    ))
            }
            self.active?.phase = .waiting(prepared)
            return .begin
        }
    }

    private mutating func drop(
        _ prepared: PreparedSettings, _ problem: RigProblem
    ) -> Verdict<SettingsEffect> {
        end(prepared, .dropped(problem))
        return .refuse(problem)
    }

    var unsynchronized: RigProblem {
        problem(.unsynchronized, "the node is not synchronized with the rig's time, so nothing was set")
    }

    private func committed(_ id: SettingsID) -> Verdict<SettingsEffect> {
        switch record(id)?.fate {
        case .set(let effect): return .answer(effect)
        case .dropped(let problem), .failed(let problem), .outOfReach(let problem): return .refuse(problem)
        case .undone: return .refuse(problem(.cancelled, "settings transaction \(id) was undone"))
        case nil:
            return .refuse(
                problem(.expired, "settings transaction \(id) is not prepared, so nothing was set; prepare it again"))
        }
    }

    /// Returns what is to be set; nil if the transaction no longer waits for T.
    func waiting(_ id: SettingsID) -> PreparedSettings? {
        guard let active, active.id == id, case .waiting(let prepared) = active.phase else { return nil }
        return prepared
    }

    /// Begins to open the stream again, or to set the controls.
    /// - Returns: nil if the transaction no longer waits for T.
    mutating func beginSetting(_ id: SettingsID) -> PreparedSettings? {
        guard let prepared = waiting(id) else { return nil }
        active?.phase = prepared.stream == nil ? .setting(prepared) : .reopening(prepared)
        return prepared
    }

    /// Notes that the stream is open in the other format and delivers frames.
    mutating func reopened(_ id: SettingsID) {
        guard let active, active.id == id, case .reopening(let prepared) = active.phase else { return }
        self.active?.phase = .setting(prepared)
    }

    /// Gives up a transaction that waits for T.
    mutating func giveUp(_ id: SettingsID, because problem: RigProblem) {
        guard let prepared = waiting(id) else { return }
        end(prepared, .dropped(problem))
    }

    /// Notes that the camera has accepted the values.
    mutating func accepted(_ id: SettingsID, _ confirmation: Confirmation) {
        guard let active, active.id == id, case .setting(let prepared) = active.phase else { return }
        self.active?.phase = .confirming(prepared, confirmation)
    }

    /// Notes that opening the stream again, or setting the controls, has failed.
    mutating func failed(_ id: SettingsID, _ problem: RigProblem) {
        guard let active, active.id == id else { return }
        switch active.phase {
        case .reopening(let prepared), .setting(let prepared): end(prepared, .failed(problem))
        case .preparing, .prepared, .waiting, .confirming, .undoing: break
        }
    }

    /// What is awaited of the frames; nil unless the transaction is being confirmed.
    func confirmation(of id: SettingsID) -> Confirmation? {
        guard let active, active.id == id, case .confirming(_, let confirmation) = active.phase else { return nil }
        return confirmation
    }

    /// Notes what the frames have shown.
    mutating func confirmed(_ id: SettingsID, _ result: Result<SettingsEffect, RigProblem>) {
        guard let active, active.id == id, case .confirming(let prepared, _) = active.phase else { return }
        switch result {
        case .success(let effect): end(prepared, .set(effect))
        case .failure(let problem): end(prepared, .failed(problem))
        }
    }

    // MARK: Undo

    /// - Parameter obstacle: Why the controls cannot be had at present.
    mutating func undo(_ id: SettingsID, at now: LocalTime, obstacle: RigProblem?) -> UndoVerdict {
        expire(at: now)
        guard let active, active.id == id else { return undoEnded(id, obstacle) }
        let undone = problem(.cancelled, "settings transaction \(id) was undone before T, so nothing was set")
        switch active.phase {
        case .preparing:
            self.active = nil
            return .undone
        case .prepared(let prepared, _), .waiting(let prepared):
            end(prepared, .dropped(undone))
            return .undone
        case .reopening, .setting, .undoing: return .wait
        case .confirming(let prepared, _):
            end(prepared, .failed(problem(.cancelled, "settings transaction \(id) was undone")))
            return putBack(prepared, id, active.settings)
        }
    }

    private mutating func undoEnded(_ id: SettingsID, _ obstacle: RigProblem?) -> UndoVerdict {
        // An earlier run of the agent may have set it.
        guard let record = record(id) else {
            return .refuse(
                problem(.expired, "settings transaction \(id) is not known, so that its values may be set, or not"))
        }
        if case .outOfReach(let problem) = record.fate { return .refuse(problem) }
        guard record.fate.mayBeSet else { return .undone }
        if let later = active?.id ?? records.last(where: \.fate.mayBeSet)?.id, later != id {
            return .refuse(
                problem(.conflict, "settings transaction \(later) came after \(id), which is therefore not undone"))
        }
        if let obstacle { return .refuse(obstacle) }
        return putBack(record.prepared, id, record.settings)
    }

    private mutating func putBack(
        _ prepared: PreparedSettings, _ id: SettingsID, _ settings: CaptureSettings
    ) -> UndoVerdict {
        active = Active(id: id, settings: settings, phase: .undoing, reopensStream: prepared.stream != nil)
        return .putBack(prepared.undo, stream: prepared.stream)
    }

    /// Notes whether the values were put back. If not, undoing may be tried again.
    mutating func putBack(_ id: SettingsID, isDone: Bool) {
        guard let active, active.id == id, active.phase == .undoing else { return }
        self.active = nil
        guard isDone, let index = records.lastIndex(where: { $0.id == id }) else { return }
        records[index].fate = .undone
    }

    // MARK: The camera

    /// Notes that no frames arrive, or that their times are no longer known.
    /// - Parameter reason: What happened, without its subject.
    mutating func streamEnded(because reason: String) {
        switch active?.phase {
        // Whoever opens the stream again knows the end of it.
        case nil, .reopening, .undoing: break
        case .preparing: active = nil
        case .prepared(let prepared, _):
            let dropped = "its stream ended after the settings were prepared, so they were dropped: \(reason)"
            end(prepared, .dropped(problem(.expired, dropped)))
        case .waiting(let prepared):
            end(prepared, .dropped(problem(.deviceLost, "it failed before T, so nothing was set: \(reason)")))
        case .setting(let prepared), .confirming(let prepared, _):
            let lost = "it failed while it was set; the values may be set, or not: \(reason)"
            end(prepared, .failed(problem(.deviceLost, lost)))
        }
    }

    /// Notes that another camera is in the session.
    mutating func deviceExchanged(to device: DeviceID) {
        streamEnded(because: "another camera has replaced it")
        for index in records.indices where records[index].fate.mayBeSet {
            records[index].fate = .outOfReach(
                problem(.deviceLost, "\(device) has replaced it in the session; its values may be set"))
        }
        self.device = device
    }

    private mutating func end(_ prepared: PreparedSettings, _ fate: Fate) {
        guard let active else { return }
        records.append(Record(id: active.id, settings: active.settings, prepared: prepared, fate: fate))
        if records.count > Self.keptLimit { records.removeFirst() }
        self.active = nil
    }
}

extension SettingsMachine.Phase {
    /// What was prepared; nil before, and while it is undone.
    fileprivate var prepared: PreparedSettings? {
        switch self {
        case .preparing, .undoing: nil
        case .prepared(let prepared, _), .waiting(let prepared), .reopening(let prepared), .setting(let prepared),
            .confirming(let prepared, _):
            prepared
        }
    }
}
