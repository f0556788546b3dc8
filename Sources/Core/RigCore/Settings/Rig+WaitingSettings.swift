import CameraSettings
import CaptureModel
import Logging
import StorageKit

/// Settings that wait for nodes which were not connected when they were committed. Each node gets its own in the order of the transactions,
/// when it joins, and before any later settings.
extension Rig {
    /// Problems that pass, so that the settings wait on.
    private static let passing: Set<RigProblem.Code> = [
        .nodeUnreachable, .agentRestarted, .conflict, .noMemory, .expired, .unsynchronized, .tooSoon, .inputOutput,
        .noSpace,
    ]

    /// Has the cameras of nodes that are not connected wait for these, and those that have not got earlier ones yet.
    /// - Parameter mayWait: Whether they are settings of the request. Values of a profile or an undo are for the camera that had them, which a
    ///   node that is away cannot show.
    func postpone(_ order: inout SettingsOrder, mayWait: Bool) {
        let hasRoom = ledger.content.hasRoomForWaiting
        order.mayPostpone = mayWait && hasRoom
        for camera in order.open {
            let isAway = roster.nodes[camera.node].map { $0.agent == nil } == true
            let isBehind = ledger.content.isWaiting(for: camera)
            let refusal = order.settings[camera]?.entries.lazy.compactMap { entry in
                entry.universalRefusal.map { "\(entry): \($0)" }
            }.first
            if isAway || isBehind, let refusal {
                order.ended[camera] = .refused(
                    RigProblem(.unsupportedSettings, "\(camera) is not changed, as no camera accepts \(refusal)"))
            } else if mayWait, hasRoom, isAway || isBehind {
                order.postpone(camera, isAway: isAway)
            } else if isBehind {
                order.refuse(camera, behindOthers: isAway)
            }
        }
    }

    /// Gives nodes that are connected the settings that wait for them, before anything else.
    func deliveries(to nodes: Set<NodeName>) async {
        for node in nodes.sorted() {
            beginDelivery(to: node)
            await deliveries.task(for: node)?.value
        }
    }

    /// Begins to tell a node the ends of transactions that it has missed, and to give its cameras what waits for it, unless the node is not connected. If that is under way, it is tried once more
    /// afterwards.
    func beginDelivery(to node: NodeName) {
        guard roster.nodes[node]?.agent != nil,
            deliveries.untoldStep(of: node) != nil || ledger.content.delivery(to: node) != nil
        else { return }
        deliveries.begin(node) {
            // Unstructured, because not everybody waits for it. One for each node at most.
            Task {
                repeat {
                    while let step = deliveries.untoldStep(of: node), await tell(step) {}
                    while let (settings, past) = ledger.content.delivery(to: node),
                        await deliver(past, of: settings, to: node)
                    {}
                } while deliveries.goesOn(node)
            }
        }
    }

    /// Tells a camera the last step of a transaction that has ended.
    /// - Returns: false if its node does not answer.
    private func tell(_ step: UntoldSteps.Untold) async -> Bool {
        let request = DeviceRequest(
            device: step.device, timeout: patience(with: step.device), command: .settings(step.id, step.step))
        if case .failure(let problem) = await outcome(of: request), problem.isOfRelay { return false }
        deliveries.told(step)
        return true
    }

    /// Gives the cameras of a node the settings of a transaction, and tells the outcomes.
    /// - Returns: false if a camera waits on.
    private func deliver(_ past: PastSettings, of settings: CommittedSettings, to node: NodeName) async -> Bool {
        let waiting = past.waiting.filter { $0.device.node == node }
        var order = SettingsOrder(
            cameras: waiting.map(\.device),
            settings: Dictionary(waiting.map { ($0.device, $0.settings) }, uniquingKeysWith: { $1 }))
        order.isDelivery = true
        let request = SettingsRequest(
            id: settings.id, selection: Selection(devices: order.cameras), settings: CaptureSettings())
        var transaction = SettingsTransaction(request, order)
        _ = await carryOut(&transaction, at: nil) { (transaction) async throws(RigProblem) in
            try await self.ledger.commitDelivery(transaction)
        }
        // Its node knows the id if it has set the camera already.
        let reports = transaction.cameras.filter { report in
            report.outcome.problem.map { !Self.passing.contains($0.code) } ?? true || report.outcome.word == .deferred
        }
        // Tried again with each heartbeat.
        await ledger.noteDelivered(reports, of: transaction)
        for report in reports { await tell(report, of: settings.id) }
        return reports.count == order.cameras.count
    }

    private func tell(_ report: CameraSettingsReport, of id: SettingsID) async {
        var details = ["settings": "\(id)", "outcome": report.outcome.word.rawValue]
        details["code"] = report.outcome.problem?.code.rawValue
        details["error"] = report.outcome.problem?.message
        log.info(
            "a camera has settings that waited for its node",
            metadata: details.mapValues { "\($0)" }.merging(["device": "\(report.device)"]) { own, _ in own })
        await announce(.settingsDelivered, device: report.device, details: details)
    }
}

extension EventName {
    static let settingsDelivered = EventName(rawValue: "settings.delivered")
}
