import CameraKit
import CaptureModel
import Recording
import Spool

/// The settings that the camera is to have: stored durably, also those that wait for its start.
extension SettingsOutput {
    // MARK: Keeping

    /// Stores what a transaction has set. Returns before the transaction's outcome is known to anybody.
    /// - Parameters:
    ///   - buttons: Those that it has pressed.
    ///   - isWhole: Whether the values are all that it has set. A format is not kept.
    func keep(
        _ values: [String: Int64], pressing buttons: Set<String> = [], of id: SettingsID, isWhole: Bool = true
    ) async {
        let hardware = session.knowledge.hardware
        desired.set(
            values, pressing: buttons, by: isWhole ? id : nil, replacing: id, make: hardware.make,
            model: hardware.model)
        await store()
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

    /// Returns what the camera is to hold.
    /// - Throws: `inputOutput` if it cannot be read at present; `noMemory` if it is more than settings can have.
    func held() async throws(RigProblem) -> HeldSettings {
        await load()
        guard loading == .done else {
            throw RigProblem(.inputOutput, "what \(device) is to hold cannot be read; see the agent's log")
        }
        let hardware = session.knowledge.hardware
        let desired =
            desired.settings
            ?? DesiredSettings(revision: nil, make: hardware.make, model: hardware.model, values: [:])
        guard let settings = CaptureSettings(driverValues: desired.values).flatMap(withStream) else {
            throw RigProblem(
                .noMemory, "\(device) holds more than \(CaptureSettings.limit) controls, more than settings can have")
        }
        return HeldSettings(
            revision: desired.revision, make: desired.make, model: desired.model,
            present: HardwareModel(make: hardware.make, model: hardware.model), settings: settings,
            waiting: desired.deferred.map(\.id))
    }

    /// Adds the format of the stream if a transaction has requested it.
    private func withStream(_ settings: CaptureSettings) -> CaptureSettings? {
        guard let requestedStream, requestedStream.isConfigured(in: session.setup.configuration),
            let stream = session.stream, requestedStream.isFulfilled(by: stream)
        else { return settings }
        return settings.with(stream.agreedFormat)
    }

    private func storeDesired() async throws(RigProblem) {
        await load()
        guard loading == .done else {
            throw RigProblem(.inputOutput, "what \(device) was to have before cannot be read; see the agent's log")
        }
        let (settings, device) = (desired.stored, device)
        try await session.spool.attempt { (spool) async throws(SpoolError) in
            try await spool.keepDesired(settings, of: device)
        }
    }

    func store() async {
        do throws(RigProblem) {
            try await storeDesired()
        } catch {
            let problem = RigProblem(
                error.code,
                "\(device) would lose its settings when its agent ends: they cannot be stored: \(error.message)")
            await session.tell([.settings(device, .notKept(problem))])
        }
    }

    // MARK: Given up

    /// Remembers that a transaction is never to be prepared, also by the next runs of the agent.
    func giveUp(_ id: SettingsID) async {
        await load()
        guard !desired.givenUp.contains(id) else { return }
        desired.giveUp(id)
        do throws(RigProblem) {
            try await storeDesired()
        } catch {
            let problem = RigProblem(
                error.code,
                "\(device) would not know after a restart of its agent that settings transaction \(id) was given up: that cannot be stored: \(error.message)"
            )
            await session.tell([.settings(device, .notKept(problem))])
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

    /// The answer to a prepare while the camera does not stream; nil if it streams, or a transaction is in progress, or this one was carried
    /// out while it streamed.
    func deferral(of id: SettingsID, _ settings: CaptureSettings) -> SettingsPreparation? {
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

    /// Stores what was prepared for a camera that does not stream.
    /// - Returns: Why the settings wait; nil if the camera streams now, or nothing was prepared in this way.
    /// - Throws: `noMemory` if too many wait already; `noSpace`, `inputOutput` if they cannot be stored. Then they do not wait.
    func deferCommit(_ id: SettingsID) async throws(RigProblem) -> RigProblem? {
        await load()
        let reason = RigProblem(
            .notRunning, "\(device) does not stream: \(session.stateDescription); it gets the settings when it starts")
        if desired.isDeferred(id) || begun.contains(id) { return reason }
        guard !session.isRunning, let waiting = prepared.first(where: { $0.id == id }) else { return nil }
        guard desired.add(waiting) else {
            throw RigProblem(
                .noMemory,
                "\(device): \(DesiredSettings.deferredLimit) settings wait for its start already; start it, or undo some"
            )
        }
        do throws(RigProblem) {
            try await storeDesired()
        } catch {
            desired.removeDeferred(id)
            throw RigProblem(
                error.code, "\(device) does not stream, and its settings cannot be stored: \(error.message)")
        }
        prepared.removeAll { $0.id == id }
        begun.append(id)
        if begun.count > DesiredSettings.deferredLimit { begun.removeFirst() }
        return reason
    }

    /// Undoes settings that wait for the camera's start.
    /// - Returns: false if none wait under this id.
    /// - Throws: `conflict` if the camera has got them at its start.
    func undoDeferred(_ id: SettingsID) async throws(RigProblem) -> Bool {
        await load()
        if let index = prepared.firstIndex(where: { $0.id == id }) {
            prepared.remove(at: index)
            return true
        }
        guard desired.isDeferred(id) else {
            guard begun.contains(id) else { return false }
            throw RigProblem(
                .conflict, "\(device) has started with the settings of transaction \(id); set other ones to change them"
            )
        }
        desired.removeDeferred(id)
        begun.removeAll { $0 == id }
        try await storeDesired()
        return true
    }

    /// Reads what is stored about the camera, once. If the disk fails, the next call tries again.
    func load() async {
        switch loading {
        case .done: return
        case .underWay: return await withCheckedContinuation { loadWaiters.append($0) }
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
        let waiting = loadWaiters
        loadWaiters = []
        for waiter in waiting { waiter.resume() }
    }
}
