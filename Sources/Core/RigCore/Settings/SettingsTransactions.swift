import CaptureModel

/// The settings transactions in progress, which may be cancelled until T, and the reports of the newest ended ones, by id, for repeats.
///
/// A repeat of a transaction whose report is no longer kept is carried out again. Its cameras then answer what they have done with this id.
/// Without a clock, a socket or a disk. Belongs to one actor, and runs on it.
final class SettingsTransactions {
    /// Limit on the transactions in progress. Further ones are refused.
    static let limit = 16
    /// Limit on the kept reports.
    static let keptLimit = 64
    /// Limit on the texts of what cameras were asked, in bytes. Beyond it, the oldest transactions can no longer be undone.
    static let pastByteLimit = 2 << 20
    /// Limit on the repeats that wait for a transaction.
    static let repeatLimit = 8

    /// What is known of a request that its client repeats.
    enum Earlier {
        case underWay(Task<SettingsReport, Never>)
        /// Every camera has its outcome, and that is not known to be durable yet.
        case concluded(SettingsReport, storedBy: UInt64)
        case ended(SettingsReport)
    }

    private struct Known {
        var request: SettingsRequest
        var principal: Principal
        var cameras: [DeviceID]
        var report: Earlier
        /// Number of repeats that wait.
        var repeats = 0
    }

    private var known: [SettingsID: Known] = [:]
    /// Ended ones, oldest first.
    private var ended: [SettingsID] = []
    private var cancellations = SettingsCancellations()

    var areInProgress: Bool { known.count > ended.count }

    /// The cameras of the transactions in progress.
    var camerasInProgress: Set<DeviceID> {
        known.values.reduce(into: []) { cameras, known in
            if case .ended = known.report { return }
            cameras.formUnion(known.cameras)
        }
    }

    /// What is known of a transaction; nil if there is none with this id.
    subscript(id: SettingsID) -> Earlier? { known[id]?.report }

    /// Looks for a transaction with the same id.
    /// - Throws: `conflict` if it had another content, or was another's.
    func earlier(_ request: SettingsRequest, by principal: Principal) throws(RigProblem) -> Earlier? {
        guard let first = known[request.id] else { return nil }
        guard first.request == request, first.principal == principal else {
            throw RigProblem(.conflict, "settings id \(request.id) was used for another request; use a new id")
        }
        return first.report
    }

    /// - Parameter carryOut: Starts the transaction.
    /// - Throws: `noMemory` if too many are in progress.
    func begin(
        _ request: SettingsRequest, by principal: Principal, cameras: [DeviceID],
        _ carryOut: () -> Task<SettingsReport, Never>
    ) throws(RigProblem) -> Task<SettingsReport, Never> {
        guard known.count - ended.count < Self.limit else {
            throw RigProblem(
                .noMemory, "\(Self.limit) settings transactions are in progress; try again when some have ended")
        }
        let report = carryOut()
        known[request.id] = Known(request: request, principal: principal, cameras: cameras, report: .underWay(report))
        return report
    }

    /// Notes a repeat that waits for a transaction in progress.
    /// - Throws: `conflict` if too many wait.
    func join(_ id: SettingsID) throws(RigProblem) {
        guard let waiting = known[id]?.repeats, waiting < Self.repeatLimit else {
            throw RigProblem(.conflict, "\(Self.repeatLimit) repeats wait for settings \(id) already")
        }
        known[id]?.repeats += 1
    }

    func leave(_ id: SettingsID) { known[id]?.repeats -= 1 }

    /// Notes the outcome of every camera.
    /// - Parameter change: The change of the ledger with which it is durable.
    func conclude(_ report: SettingsReport, storedBy change: UInt64) {
        cancellations.end(report.id)
        known[report.id]?.report = .concluded(report, storedBy: change)
    }

    /// Ends the transactions whose ends are durable.
    /// - Parameter change: The newest change of the ledger that is.
    /// - Returns: Their reports, in the order of their ends.
    func end(storedThrough change: UInt64) -> [SettingsReport] {
        var reports: [(report: SettingsReport, change: UInt64)] = []
        for case .concluded(let report, let own) in known.values.map(\.report) where own <= change {
            reports.append((report, own))
        }
        reports.sort { ($0.change, $0.report.id) < ($1.change, $1.report.id) }
        for (report, _) in reports {
            known[report.id]?.report = .ended(report)
            ended.append(report.id)
            if ended.count > Self.keptLimit { known[ended.removeFirst()] = nil }
        }
        return reports.map(\.report)
    }

    // MARK: Cancelling

    /// Whether a transaction in progress is cancelled.
    var areCancelled: Bool { !cancellations.isEmpty }

    /// A transaction is about to be stored. It can be cancelled until cameras are told to set.
    func stores(_ id: SettingsID) { cancellations.stores(id) }

    /// Cameras are told to set at T. Until then, the transaction can be cancelled.
    func commits(_ id: SettingsID, _ cameras: [DeviceID], at time: RigTime) {
        cancellations.commits(id, cameras, at: time)
    }

    /// A transaction waits for T no longer.
    func hasCommitted(_ id: SettingsID) { cancellations.hasCommitted(id) }

    /// Cancels a transaction, unless it is too late, or it is cancelled already.
    /// - Parameters:
    ///   - isStored: Whether cameras may have been told it.
    ///   - tell: Begins to tell cameras to drop it.
    /// - Returns: Whether it is cancelled by this.
    func cancel(
        _ id: SettingsID, by principal: Principal, at now: RigTime, isStored: Bool,
        _ tell: ([DeviceID]) -> SettingsCancellations.Answers
    ) -> Bool {
        guard let cameras = cancellations.camerasToTell(of: id, at: now, isStored: isStored) else { return false }
        cancellations.cancel(id, by: principal, tell(cameras))
        return true
    }

    /// Why a transaction was cancelled; nil if it was not.
    func cancellation(of id: SettingsID) -> RigProblem? { cancellations.problem(of: id) }

    /// - Throws: `cancelled` if somebody has cancelled the transaction.
    func requireNotCancelled(_ id: SettingsID) throws(RigProblem) {
        if let problem = cancellations.problem(of: id) { throw problem }
    }

    /// What the cameras of a cancelled transaction answer that were told to drop it; nil if it was not cancelled.
    func answersToCancellation(of id: SettingsID) -> SettingsCancellations.Answers? { cancellations.answers(of: id) }
}
