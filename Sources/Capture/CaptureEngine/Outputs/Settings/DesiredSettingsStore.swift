import CameraKit
import CaptureModel
import Recording
import Spool

/// The settings that a session's camera is to have, as they are stored. ``DesiredControls`` decides what they are.
///
/// They are read once, before they are first needed; if the disk fails, the next call tries again. Nothing is stored
/// before they were read.
final class DesiredSettingsStore {
    private unowned let session: any SessionAccess
    private var desired = DesiredControls()
    private var loading = Loading.due
    private var waiters: [CheckedContinuation<Void, Never>] = []

    private enum Loading {
        case due, underWay, done
    }

    init(_ session: any SessionAccess) { self.session = session }

    private var device: DeviceID { session.device.id }

    /// nil if no transaction has set the camera.
    var settings: DesiredSettings? { desired.settings }

    /// Begins with what is stored of another camera.
    func deviceExchanged() { (desired, loading) = (DesiredControls(), .due) }

    // MARK: Reading

    func load() async {
        switch loading {
        case .done: return
        case .underWay: return await withCheckedContinuation { waiters.append($0) }
        case .due: loading = .underWay
        }
        let device = device
        do throws(RigProblem) {
            if session.spool.mayKeepDesired(of: device) {
                let stored = try await session.spool.attempt { (spool) async throws(SpoolError) in
                    try await spool.desired(of: device)
                }
                let givenUp = desired.givenUp
                desired = DesiredControls(stored)
                for id in givenUp { desired.giveUp(id) }
            }
            loading = .done
        } catch {
            // What cannot be understood is set aside, and what the disk does not give now may come.
            loading = error.code == .inputOutput ? .due : .done
            await session.tell([.settings(device, .notRestored(error))])
        }
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }

    /// Returns what the camera is to have, after it was read.
    /// - Throws: `inputOutput` if it cannot be read at present.
    func read() async throws(RigProblem) -> DesiredSettings {
        await load()
        guard loading == .done else {
            throw RigProblem(.inputOutput, "what \(device) is to hold cannot be read; see the agent's log")
        }
        let hardware = session.knowledge.hardware
        return desired.settings
            ?? DesiredSettings(revision: nil, make: hardware.make, model: hardware.model, values: [:])
    }

    // MARK: Storing

    /// - Throws: `noSpace`, `inputOutput`.
    private func write() async throws(RigProblem) {
        await load()
        guard loading == .done else {
            throw RigProblem(.inputOutput, "what \(device) was to have before cannot be read; see the agent's log")
        }
        let (settings, device) = (desired.stored, device)
        try await session.spool.attempt { (spool) async throws(SpoolError) in
            try await spool.keepDesired(settings, of: device)
        }
    }

    /// Stores the settings. If they cannot be stored, that is reported.
    func store() async {
        do throws(RigProblem) {
            try await write()
        } catch {
            await report(error, "\(device) would lose its settings when its agent ends: they cannot be stored")
        }
    }

    private func report(_ error: RigProblem, _ what: String) async {
        await session.tell([.settings(device, .notKept(RigProblem(error.code, "\(what): \(error.message)")))])
    }

    /// Stores what a transaction has set. Returns before the transaction's outcome is known to anybody.
    /// - Parameters:
    ///   - buttons: Those that it has pressed.
    ///   - isWhole: Whether the values are all that it has set. A format is not kept.
    func keep(
        _ values: [String: Int64], pressing buttons: Set<String> = [], of id: SettingsID, isWhole: Bool = true
    ) async {
        set(values, pressing: buttons, by: isWhole ? id : nil, replacing: id)
        await store()
    }

    private func set(
        _ values: [String: Int64], pressing buttons: Set<String> = [], by revision: SettingsID?,
        replacing id: SettingsID
    ) {
        let hardware = session.knowledge.hardware
        desired.set(
            values, pressing: buttons, by: revision, replacing: id, make: hardware.make, model: hardware.model)
    }

    /// Stores what was desired before a transaction.
    func keep(undoing id: SettingsID, _ values: [String: Int64]) async {
        desired.undo(id, puttingBack: values)
        await store()
    }

    /// Stores what a client has set.
    /// - Parameter names: The controls that it has set, buttons included.
    func keep(byName values: [String: Int64], _ names: some Sequence<String>) async {
        let isChosen = desired.dropChosen(by: names)
        if desired.setByName(values) || isChosen { await store() }
    }

    /// Whether a later transaction has changed what is desired, so that this one cannot be undone alone.
    func isReplaced(_ id: SettingsID) -> Bool { desired.isReplaced(id) }

    /// Notes that the camera chooses some values again. They are stored with ``store()``.
    /// - Returns: Whether one was desired.
    func dropChosen(by controls: some Sequence<String>) -> Bool { desired.dropChosen(by: controls) }

    // MARK: Given up

    /// Remembers that a transaction is never to be prepared, also by the next runs of the agent.
    func giveUp(_ id: SettingsID) async {
        await load()
        guard !desired.givenUp.contains(id) else { return }
        desired.giveUp(id)
        do throws(RigProblem) {
            try await write()
        } catch {
            await report(
                error,
                "\(device) would not know after a restart of its agent that settings transaction \(id) was given up: that cannot be stored"
            )
        }
    }

    /// - Throws: `cancelled` if a transaction was given up.
    func requireNotGivenUp(_ id: SettingsID) async throws(RigProblem) {
        await load()
        guard desired.givenUp.contains(id) else { return }
        throw RigProblem(
            .cancelled,
            "\(device): settings transaction \(id) was given up before, so that it is never carried out; use another id"
        )
    }

    // MARK: Waiting for the camera's start

    /// Whether settings wait for the camera's start.
    func isDeferred(_ id: SettingsID) async -> Bool {
        await load()
        return desired.isDeferred(id)
    }

    /// Stores settings for the camera's next start.
    /// - Throws: `noMemory` if too many wait already; `noSpace`, `inputOutput` if they cannot be stored. Then they do not
    ///   wait.
    func add(_ waiting: DeferredSettings) async throws(RigProblem) {
        guard desired.add(waiting) else {
            throw RigProblem(
                .noMemory,
                "\(device): \(DesiredSettings.deferredLimit) settings wait for its start already; start it, or undo some"
            )
        }
        do throws(RigProblem) {
            try await write()
        } catch {
            desired.removeDeferred(waiting.id)
            throw RigProblem(
                error.code, "\(device) does not stream, and its settings cannot be stored: \(error.message)")
        }
    }

    /// Stores that settings no longer wait.
    /// - Throws: `noSpace`, `inputOutput`. They no longer wait in this run.
    func remove(_ id: SettingsID) async throws(RigProblem) {
        desired.removeDeferred(id)
        try await write()
    }

    /// Makes settings that have waited part of what the camera is to have. They are stored with ``store()``.
    func begin(_ values: [String: Int64], of id: SettingsID) { set(values, by: id, replacing: id) }

    /// Drops settings that the camera has refused at its start. That is stored with ``store()``.
    func drop(_ id: SettingsID) { desired.removeDeferred(id) }

    // MARK: Looking

    /// Whether the controls are to be read now.
    func isDue(at now: LocalTime) -> Bool { desired.isDue(at: now) }

    /// Returns the controls that have other values than desired, by name.
    func differences(from present: [DeviceControl]) -> [ControlDifference] {
        let hardware = session.knowledge.hardware
        return desired.differences(from: present, make: hardware.make, model: hardware.model)
    }

    /// Notes that the camera is set again because it had other values.
    /// - Returns: How many times it was.
    func noteDrift(at now: LocalTime) -> Int {
        desired.noteDrift(at: now)
        return desired.driftCount
    }

    /// Notes the values that the camera has accepted instead of those that were set.
    func accept(_ values: [String: Int64]) { desired.accept(values) }
}
