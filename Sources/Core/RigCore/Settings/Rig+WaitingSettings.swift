import CaptureModel
import Logging
import StorageKit

/// Settings that wait for nodes which were not connected when they were committed. Each node gets its own in the order of the transactions,
/// when it joins, and before any later settings.
extension Rig {
    /// Limit on the transactions that wait for nodes. Cameras that are away are refused beyond it.
    private static let waitingLimit = 16

    /// Has the cameras of nodes that are not connected wait for these.
    func postpone(_ order: inout SettingsOrder) {
        guard committedSettings.count(where: \.awaitsNode) < Self.waitingLimit else { return }
        for camera in order.open where roster.nodes[camera.node].map({ $0.agent == nil }) == true {
            order.postpone(camera)
        }
    }

    /// Waits until nodes that have joined have the settings that waited for them.
    func deliveries(to nodes: Set<NodeName>) async {
        for node in nodes.sorted() { await deliveries[node]?.value }
    }

    /// Begins to give the cameras of a node what waits for it, unless that is under way or the node is not connected.
    func beginDelivery(to node: NodeName) {
        guard deliveries[node] == nil, roster.nodes[node]?.agent != nil, nextDelivery(to: node) != nil else { return }
        // Unstructured, because nobody waits for it. One for each node at most.
        deliveries[node] = Task {
            while let (settings, past) = nextDelivery(to: node), await deliver(past, of: settings, to: node) {}
            deliveries[node] = nil
        }
    }

    /// Returns the oldest transaction that waits for a node and has its report.
    private func nextDelivery(to node: NodeName) -> (CommittedSettings, PastSettings)? {
        for settings in committedSettings where settings.state == .ended {
            if let past = settings.past, past.waiting.contains(where: { $0.device.node == node }) {
                return (settings, past)
            }
        }
        return nil
    }

    /// Gives the cameras of a node the settings of a transaction, and tells the outcomes.
    /// - Returns: false if the node has gone again.
    private func deliver(_ past: PastSettings, of settings: CommittedSettings, to node: NodeName) async -> Bool {
        let waiting = past.waiting.filter { $0.device.node == node }
        let order = SettingsOrder(
            cameras: waiting.map(\.device),
            settings: Dictionary(waiting.map { ($0.device, $0.settings) }, uniquingKeysWith: { $1 }))
        let request = SettingsRequest(
            id: settings.id, selection: Selection(devices: order.cameras), settings: CaptureSettings())
        var transaction = SettingsTransaction(request, order)
        _ = await carryOut(&transaction, at: nil) { (_) async throws(CaptureProblem) in }
        // A camera whose node has not answered waits on. Its node knows the id if it has set the camera already.
        let reports = transaction.cameras.filter { $0.outcome.problem?.isOfRelay != true }
        for report in reports {
            update(report.device, of: settings.id) { camera in
                camera.awaitsNode = false
                camera.outcome = report.outcome.word
                camera.earlier = transaction.earlier(of: report.device)
            }
        }
        await storeSettings()
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

    // MARK: Dropping

    /// Drops the settings of a transaction that wait for a camera's node.
    /// - Returns: Whether there were any.
    func dropWaiting(_ device: DeviceID, of id: SettingsID) -> Bool {
        var wasWaiting = false
        update(device, of: id) { camera in
            wasWaiting = camera.awaitsNode
            if wasWaiting { (camera.awaitsNode, camera.outcome) = (false, .undone) }
        }
        return wasWaiting
    }

    /// Drops what waits for cameras that the rig does not have any more.
    func dropWaiting(of devices: [DeviceID]) async {
        var hasDropped = false
        for settings in committedSettings where settings.awaitsNode {
            for device in devices where dropWaiting(device, of: settings.id) { hasDropped = true }
        }
        if hasDropped { await storeSettings() }
    }

    private func update(_ device: DeviceID, of id: SettingsID, _ change: (inout PastSettings.Camera) -> Void) {
        guard let index = committedSettings.firstIndex(where: { $0.id == id }),
            let camera = committedSettings[index].past?.cameras.firstIndex(where: { $0.device == device }),
            committedSettings[index].past?.cameras[camera].awaitsNode == true
        else { return }
        if let past = committedSettings[index].past?.cameras[camera] {
            var changed = past
            change(&changed)
            committedSettings[index].past?.cameras[camera] = changed
        }
    }
}

extension PastSettings {
    /// The cameras that get the settings when their nodes join.
    fileprivate var waiting: [Camera] { cameras.filter(\.awaitsNode) }
}

extension CommittedSettings {
    /// Whether a camera gets the settings when its node joins.
    var awaitsNode: Bool { past?.cameras.contains(where: \.awaitsNode) == true }
}

extension EventName {
    static let settingsDelivered = EventName(rawValue: "settings.delivered")
}
