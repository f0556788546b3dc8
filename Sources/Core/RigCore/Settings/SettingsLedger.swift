import CaptureModel
import ShotLogic
import StorageKit

/// The newest settings transactions that cameras may have been told to carry out, also by earlier runs, and which of their changes are
/// durable: for repeats, undo and the next runs.
///
/// | a transaction | is kept as |
/// |---|---|
/// | is about to be told to its cameras | committed, with its request, so that a later run goes on with it |
/// | has ended | ended, with the outcome of each camera. A camera whose node is away waits for it |
/// | has ended without a commit | refused; ended if a camera has dropped settings that waited for its start |
///
/// A value without a clock or a disk. ``LedgerKeeper`` writes it after each change.
struct SettingsLedger: Sendable {
    /// Limit on the transactions that wait for nodes. Cameras that are away are refused beyond it.
    private static let waitingLimit = 16

    /// Oldest first.
    private var transactions: [CommittedSettings]
    private var writes = LedgerWrites()
    /// The newest creation date of a transaction that was forgotten in this run, milliseconds since 1970.
    private var forgotten = Int64.min

    /// - Parameter transactions: What an earlier run has stored.
    init(_ transactions: [CommittedSettings] = []) {
        self.transactions = transactions
    }

    /// The transactions, oldest first.
    var committed: [CommittedSettings] { transactions }

    // MARK: Transactions

    /// Keeps a transaction whose cameras are about to be told to set.
    mutating func commit(
        _ transaction: SettingsTransaction, by principal: Principal, on rigClock: RigClockID,
        at realtimeNanoseconds: Int64
    ) {
        let open = CommittedSettings.Open(transaction.request, by: principal, cameras: transaction.devices)
        keep(
            CommittedSettings(
                id: transaction.request.id, rigClock: rigClock, open: open,
                past: transaction.past(by: principal, at: realtimeNanoseconds)))
    }

    /// Removes a transaction that no camera is told.
    mutating func remove(_ id: SettingsID) { transactions.removeAll { $0.id == id } }

    /// Notes the end of a transaction.
    /// - Parameter time: T; nil if no camera was told to set.
    /// - Returns: Whether it had not ended before.
    mutating func end(
        _ transaction: SettingsTransaction, _ cameras: [CameraSettingsReport], by principal: Principal,
        on rigClock: RigClockID, at time: RigTime?, realtimeNanoseconds: Int64
    ) -> Bool {
        guard transaction.earlier?.state ?? .committed == .committed else { return false }
        if let index = transactions.firstIndex(where: { $0.id == transaction.request.id }) {
            transactions[index].time = time
            transactions[index].state = .ended
            transactions[index].open = nil
            transactions[index].past?.note(cameras)
        } else {
            // Settings that waited for cameras' starts are dropped without a commit.
            let hasDropped = transaction.cameras.contains { $0.outcome.word == .undone }
            keep(
                CommittedSettings(
                    id: transaction.request.id, rigClock: rigClock, state: hasDropped ? .ended : .refused,
                    past: hasDropped ? transaction.past(by: principal, at: realtimeNanoseconds) : nil))
        }
        if transaction.order.undoes != nil { noteUndo(transaction) }
        return true
    }

    /// Notes that a camera's node has dropped settings that waited for the camera's start, also if the undo as a whole fails.
    mutating func noteDropped(_ device: DeviceID, of id: SettingsID) {
        change(device, of: id) { camera in
            guard camera.outcome == .deferred else { return false }
            camera.outcome = .undone
            return true
        }
    }

    /// What is known of the transactions that a node may name. Before it joined, it may have been a node of a coordinator with another
    /// state, and this coordinator may have had another one.
    /// - Parameter joinedMilliseconds: When the node joined; nil if it has not.
    func known(since joinedMilliseconds: Int64?) -> KnownSettings {
        let known = transactions.map { settings in
            let devices = (settings.open?.cameras ?? []) + (settings.past?.cameras.map(\.device) ?? [])
            let isForgotten = settings.open == nil && settings.past == nil
            let transaction: KnownSettings.Transaction =
                settings.state == .refused ? .refused : isForgotten ? .toldUnknown : .told(Set(devices))
            return (settings.id, transaction)
        }
        return KnownSettings(
            transactions: Dictionary(known, uniquingKeysWith: { first, _ in first }),
            completeSince: max(joinedMilliseconds ?? .max, forgotten))
    }

    private mutating func keep(_ transaction: CommittedSettings) {
        var transaction = transaction
        if var past = transaction.past {
            let before = SettingsHistory(transactions.compactMap(\.past)).beforeRun(of: past)
            for index in past.cameras.indices { past.cameras[index].beforeRun = before[past.cameras[index].device] }
            transaction.past = past
        }
        for id in transactions.keep(transaction) { forgotten = max(forgotten, id.uuid.unixMilliseconds) }
    }

    /// Notes the cameras that no undo can give their earlier values, so that the next one goes on with the transaction before.
    private mutating func noteUndo(_ transaction: SettingsTransaction) {
        let refused = transaction.cameras.filter { camera in
            camera.outcome.word == .refused && camera.outcome.problem?.code == .unsupportedSettings
        }
        let over = Set(refused.map(\.device))
        let order = transaction.order
        for index in transactions.indices {
            guard let past = transactions[index].past else { continue }
            for camera in past.cameras.indices {
                let device = past.cameras[camera].device
                // What was set before the settings that a camera has started with is put back by the next undo.
                guard order.undone[device]?.contains(past.id) == true,
                    over.contains(device) || order.started[device]?.contains(past.id) == true
                else { continue }
                transactions[index].past?.cameras[camera].isUndoOver = true
            }
        }
    }

    // MARK: Cameras whose nodes are away

    /// Whether another transaction may wait for nodes.
    var hasRoomForWaiting: Bool { transactions.count(where: \.awaitsNode) < Self.waitingLimit }

    /// Whether settings wait for a camera's node.
    func isWaiting(for camera: DeviceID) -> Bool {
        transactions.contains { $0.past?.waiting.contains { $0.device == camera } == true }
    }

    /// Returns the oldest transaction that waits for a node; nil if that has no report yet, because later ones must not overtake it.
    func delivery(to node: NodeName) -> (CommittedSettings, PastSettings)? {
        let oldest = transactions.first { settings in
            settings.past?.waiting.contains { $0.device.node == node } == true
        }
        guard let oldest, oldest.state == .ended, let past = oldest.past else { return nil }
        return (oldest, past)
    }

    /// Notes the values that a camera had before settings that have waited for its node.
    mutating func noteEarlier(_ earlier: CaptureSettings?, of device: DeviceID, in id: SettingsID) {
        changeWaiting(device, of: id) { $0.earlier = $0.earlier ?? earlier }
    }

    /// Notes that a camera has got settings that have waited for its node, or never will.
    mutating func noteDelivered(_ report: CameraSettingsReport, earlier: CaptureSettings?, of id: SettingsID) {
        changeWaiting(report.device, of: id) { camera in
            camera.awaitsNode = false
            camera.outcome = report.outcome.word
            camera.earlier = camera.earlier ?? earlier
        }
    }

    /// Drops the settings of a transaction that wait for a camera's node.
    /// - Returns: Whether there were any.
    mutating func dropWaiting(_ device: DeviceID, of id: SettingsID) -> Bool {
        changeWaiting(device, of: id) { ($0.awaitsNode, $0.outcome) = (false, .undone) }
    }

    /// Drops what waits for cameras that the rig no longer has.
    /// - Returns: Whether there was anything.
    mutating func dropWaiting(of devices: [DeviceID]) -> Bool {
        var hasDropped = false
        for id in transactions.filter(\.awaitsNode).map(\.id) {
            for device in devices where dropWaiting(device, of: id) { hasDropped = true }
        }
        return hasDropped
    }

    @discardableResult
    private mutating func changeWaiting(
        _ device: DeviceID, of id: SettingsID, _ body: (inout PastSettings.Camera) -> Void
    ) -> Bool {
        change(device, of: id) { camera in
            guard camera.awaitsNode else { return false }
            body(&camera)
            return true
        }
    }

    /// - Returns: What the change returns; false if the transaction does not have the camera.
    @discardableResult
    private mutating func change(
        _ device: DeviceID, of id: SettingsID, _ body: (inout PastSettings.Camera) -> Bool
    ) -> Bool {
        guard let index = transactions.firstIndex(where: { $0.id == id }),
            let camera = transactions[index].past?.cameras.firstIndex(where: { $0.device == device }),
            var changed = transactions[index].past?.cameras[camera], body(&changed)
        else { return false }
        transactions[index].past?.cameras[camera] = changed
        return true
    }

    // MARK: Storing

    /// Has the transactions written as they are.
    /// - Returns: The number of the change.
    mutating func change() -> UInt64 { writes.change() }

    /// What its owner does next.
    func next(at now: LocalTime) -> LedgerWrites.Next { writes.next(at: now) }

    /// Notes how a write has ended.
    /// - Returns: Whether that differs from how the write before it has ended.
    mutating func wrote(through change: UInt64, _ result: Result<Void, StorageError>, at now: LocalTime) -> Bool {
        writes.wrote(through: change, result, at: now)
    }

    /// The newest change that is durable.
    var stored: UInt64 { writes.stored }

    func fate(of change: UInt64) -> LedgerWrites.Fate { writes.fate(of: change) }

    /// Why a change is not known to be durable; nil if it is.
    func problem(of change: UInt64) -> RigProblem? {
        switch writes.fate(of: change) {
        case .stored: nil
        case .pending:
            RigProblem(
                .inputOutput, "the disk of the coordinator's state folder does not answer; look at it and its mounts")
        case .failed(let error):
            RigProblem(error.code == .noSpace ? .noSpace : .inputOutput, "\(error)")
        }
    }
}

extension PastSettings {
    /// The cameras that get the settings when their nodes join.
    var waiting: [Camera] { cameras.filter(\.awaitsNode) }

    /// Notes the outcomes of cameras. One that is told to be refused, because T was missed, does not wait for its node.
    fileprivate mutating func note(_ reports: [CameraSettingsReport]) {
        let outcomes = Dictionary(reports.map { ($0.device, $0.outcome.word) }, uniquingKeysWith: { $1 })
        for index in cameras.indices {
            cameras[index].outcome = outcomes[cameras[index].device]
            if cameras[index].outcome != .deferred { cameras[index].awaitsNode = false }
        }
    }
}

extension CommittedSettings {
    /// Whether a camera gets the settings when its node joins.
    var awaitsNode: Bool { past?.cameras.contains(where: \.awaitsNode) == true }
}
