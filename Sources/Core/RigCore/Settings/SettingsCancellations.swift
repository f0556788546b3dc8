import CaptureModel

/// Settings transactions that may be cancelled, and those that somebody has cancelled. A value without a clock.
///
/// | a transaction | is cancelled | by |
/// |---|---|---|
/// | is not stored yet | yes | not telling its cameras to set |
/// | is being stored; T is not chosen | yes | the same |
/// | waits for T | yes | telling its cameras to drop it |
/// | has reached T | no | – |
struct SettingsCancellations: Sendable {
    /// What the cameras have answered that were told to drop the settings.
    typealias Answers = Task<[DeviceID: Result<Void, RigProblem>], Never>

    private struct Pending: Sendable {
        var cameras: [DeviceID]
        /// T; nil until it is chosen.
        var time: RigTime?
    }

    private struct Cancellation: Sendable {
        var problem: RigProblem
        var answers: Answers
    }

    /// The commits that wait for T. Bounded by the transactions in progress, as the next one.
    private var pending: [SettingsID: Pending] = [:]
    private var cancelled: [SettingsID: Cancellation] = [:]

    /// Whether no transaction in progress is cancelled.
    var isEmpty: Bool { cancelled.isEmpty }

    /// A transaction is about to be stored.
    mutating func stores(_ id: SettingsID) { pending[id] = Pending(cameras: []) }

    /// Cameras are told to set at T.
    mutating func commits(_ id: SettingsID, _ cameras: [DeviceID], at time: RigTime) {
        pending[id] = Pending(cameras: cameras, time: time)
    }

    /// A transaction waits for T no longer.
    mutating func hasCommitted(_ id: SettingsID) { pending[id] = nil }

    /// A transaction has ended.
    mutating func end(_ id: SettingsID) { cancelled[id] = nil }

    /// The cameras that are told to drop a transaction if it is cancelled at this instant; nil if it cannot be, or is already.
    /// - Parameter isStored: Whether cameras may have been told it.
    func camerasToTell(of id: SettingsID, at now: RigTime, isStored: Bool) -> [DeviceID]? {
        guard cancelled[id] == nil else { return nil }
        guard let pending = pending[id] else { return isStored ? nil : [] }
        return pending.time.map { $0 > now } ?? true ? pending.cameras : nil
    }

    /// Cancels a transaction.
    mutating func cancel(_ id: SettingsID, by principal: Principal, _ answers: Answers) {
        let problem = RigProblem(
            .cancelled, "\(principal.name) has cancelled settings \(id) before T, so nothing was set")
        cancelled[id] = Cancellation(problem: problem, answers: answers)
    }

    /// Why a transaction was cancelled; nil if it was not.
    func problem(of id: SettingsID) -> RigProblem? { cancelled[id]?.problem }

    /// What the cameras of a cancelled transaction answer; nil if it was not cancelled.
    func answers(of id: SettingsID) -> Answers? { cancelled[id]?.answers }
}
