import CaptureModel

/// Settings transactions of a camera that does not stream: prepared without the camera, and stored for its start when
/// they are committed.
final class DeferredTransactions {
    private unowned let session: any SessionAccess
    private let controls: CameraControls
    private let desired: DesiredSettingsStore
    private var prepared: [DeferredSettings] = []
    /// The newest that were committed.
    private var committed: [SettingsID] = []

    init(_ session: any SessionAccess, controls: CameraControls, desired: DesiredSettingsStore) {
        self.session = session
        self.controls = controls
        self.desired = desired
    }

    private var device: DeviceID { session.device.id }

    /// Prepares a transaction while the camera does not stream.
    /// - Returns: The answer; nil if it streams, or a transaction is in progress, or this one was carried out while it
    ///   streamed.
    func prepare(_ id: SettingsID, _ settings: CaptureSettings) -> SettingsPreparation? {
        guard !session.isRunning, controls.transactions.active == nil, !controls.transactions.isKnown(id, settings)
        else {
            return nil
        }
        let outcomes = settings.entries.compactMap(SettingOutcome.refusedOfStream)
        if outcomes.isEmpty {
            prepared.removeAll { $0.id == id }
            prepared.append(DeferredSettings(id: id, settings: settings))
            if prepared.count > DesiredSettings.deferredLimit { prepared.removeFirst() }
        }
        return SettingsPreparation(outcomes: outcomes, isDeferred: true)
    }

    func isPrepared(_ id: SettingsID) -> Bool { prepared.contains { $0.id == id } }

    /// Removes what was prepared, to be prepared at a camera that has started since.
    func takePrepared(_ id: SettingsID) -> CaptureSettings? {
        prepared.firstIndex { $0.id == id }.map { prepared.remove(at: $0).settings }
    }

    /// Stores what was prepared.
    /// - Returns: Why the settings wait; nil if the camera streams now, or nothing was prepared in this way.
    /// - Throws: `noMemory` if too many wait already; `noSpace`, `inputOutput` if they cannot be stored. Then they do not wait.
    func commit(_ id: SettingsID) async throws(RigProblem) -> RigProblem? {
        let isDeferred = await desired.isDeferred(id)
        let reason = RigProblem(
            .notRunning, "\(device) does not stream: \(session.stateDescription); it gets the settings when it starts")
        if isDeferred || committed.contains(id) { return reason }
        guard !session.isRunning, let waiting = prepared.first(where: { $0.id == id }) else { return nil }
        try await desired.add(waiting)
        prepared.removeAll { $0.id == id }
        committed.append(id)
        if committed.count > DesiredSettings.deferredLimit { committed.removeFirst() }
        return reason
    }

    /// Undoes settings that wait for the camera's start.
    /// - Returns: false if none wait under this id.
    /// - Throws: `conflict` if the camera has got them at its start.
    func undo(_ id: SettingsID) async throws(RigProblem) -> Bool {
        let isDeferred = await desired.isDeferred(id)
        if takePrepared(id) != nil { return true }
        guard isDeferred else {
            guard committed.contains(id) else { return false }
            throw RigProblem(
                .conflict, "\(device) has started with the settings of transaction \(id); set other ones to change them"
            )
        }
        committed.removeAll { $0 == id }
        try await desired.remove(id)
        return true
    }

    /// Drops what an earlier run of the coordinator had prepared, and will not commit.
    func dropPrepared() { prepared = [] }

    func deviceExchanged() { (prepared, committed) = ([], []) }
}
