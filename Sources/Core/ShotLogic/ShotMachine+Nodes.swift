import CaptureModel

/// Reconciling with a node that said hello: its inventory against what the shot expects of it.
extension ShotMachine {
    mutating func nodeConnected(
        _ node: NodeName, epochChanged: Bool, inventory: [CaptureReport], at now: RigTime
    ) {
        connected.insert(node)
        guard stage != .recording else { return }
        let reports = Dictionary(
            inventory.filter { $0.key.shot == shot.id }.map { ($0.key.device, $0) },
            uniquingKeysWith: { first, _ in first })
        var unmade: [Int] = []
        for index in shot.captures.indices where shot.captures[index].device.id.node == node {
            let device = shot.captures[index].device.id
            if let report = reports[device] {
                reconcile(report, index)
            } else if isAwaited(index) {
                unmade.append(index)
                prepareAgain(index, epochChanged: epochChanged)
            } else {
                loseUnlisted(index, listed: nil)
            }
        }
        sendPrepare(to: byNode(unmade), at: now)
    }

    /// As the hello's inventory does, for one capture.
    mutating func offered(_ report: CaptureReport) {
        guard stage != .recording, report.key.shot == shot.id, let index = indices[report.key.device] else { return }
        reconcile(report, index)
    }

    /// Pins may be gone with the node's life or may have expired; only its answer to another prepare tells.
    private mutating func prepareAgain(_ index: Int, epochChanged: Bool) {
        let capture = shot.captures[index]
        if epochChanged, capture.resolved != nil { restarted.insert(capture.device.id) }
        if capture.phase == .armed { change(index) { $0.phase = .preparing } }
    }

    private mutating func reconcile(_ report: CaptureReport, _ index: Int) {
        let phase = shot.captures[index].phase
        let known = Set(shot.captures[index].files.filter { $0.digest != nil }.map(\.kind))
        captured(report)
        guard [.captured, .done, .partial, .failed].contains(phase) else { return }
        loseUnlisted(index, listed: report)
        collect(index) { file in
            known.contains(file.kind) && (file.outcome == .pending || file.outcome == .failed)
                && report.file(of: file.kind)?.digest == file.digest
        }
        releaseAgain(index, listed: report)
    }

    /// Gives up pending files the node no longer lists; their only copy was there.
    private mutating func loseUnlisted(_ index: Int, listed report: CaptureReport?) {
        let capture = shot.captures[index]
        for file in capture.files where file.outcome == .pending && capture.phase == .captured {
            guard file.digest == nil || report?.file(of: file.kind)?.digest != file.digest,
                !(file.isOwed && report?.owed.contains(file.kind) == true)
            else { continue }
            storingFailed(
                key(capture, file.kind),
                .init(
                    .fileLost,
                    "Node '\(capture.device.id.node)' no longer has the \(file.kind.rawValue) of '\(capture.device.id)' that it announced."
                ))
        }
    }

    /// A listed file that is durable here was not released at the node, or its failure not forgotten: that was lost.
    private mutating func releaseAgain(_ index: Int, listed report: CaptureReport) {
        guard let durable = durableShot?.captures[index] else { return }
        for file in durable.files {
            let key = key(durable, file.kind)
            if file.isStored, let digest = file.digest, report.file(of: file.kind)?.digest == digest {
                released.insert(key)
                actions.append(.release(key, digest))
            } else if file.isStored || file.outcome == .failed, report.problem(of: file.kind) != nil {
                forgotten.insert(key)
                actions.append(.forget(key))
            }
        }
    }
}
