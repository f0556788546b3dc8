import CaptureModel
import ControlMessages
import Logging
import ShotLogic
import StorageKit

/// Collecting the files in the spools of nodes.
extension Rig {
    /// Accepts a requested page of a node's inventory.
    func accept(_ page: InventoryPage, from node: NodeName) async -> [AgentFault] {
        guard expects(page, of: node) else { return [] }
        var orphans = 0
        var faults: [AgentFault] = []
        for report in page.captures where await !offer(report, &faults) { orphans += 1 }
        let summary = BacklogPage(last: page.captures.last?.key, hasMore: page.hasMore, orphans: orphans)
        await received(summary, of: node, after: page.after)
        return faults
    }

    /// - Returns: Whether a shot expects the capture.
    private func offer(_ report: CaptureReport, _ faults: inout [AgentFault]) async -> Bool {
        guard await reopen(report.key.shot) else { return false }
        let isExpected = isExpected(report.key)
        await handle(.offered(checked(report, &faults)), shot: report.key.shot)
        return isExpected
    }

    func isExpected(_ key: CaptureKey) -> Bool { shots.expects(key) }

    /// Sets the outcome of the files of a capture that its node has discarded.
    func noteDiscard(_ event: RigEvent, by node: NodeName) async {
        guard event.name == .spoolDiscarded, event.details["state"] != SpooledCapture.State.damaged.rawValue,
            let device = event.device, device.node == node, let shot = event.shot, await reopen(shot)
        else { return }
        let problem = RigProblem(
            .discarded, "the files of '\(device)' were removed from the spool of node '\(node)' on request")
        await handle(.discarded(device, problem), shot: shot)
    }

    /// Marks each capture that waits in a spool but that the library does not expect.
    func markOrphans(in listing: SpoolListing) async -> SpoolListing {
        var listing = listing
        for index in listing.captures.indices where listing.captures[index].state == .waiting {
            if await isOrphan(listing.captures[index].key) { listing.captures[index].state = .orphan }
        }
        return listing
    }

    private func isOrphan(_ key: CaptureKey) async -> Bool {
        // A manifest that cannot be read does not make the capture an orphan.
        guard let shot = try? await library.shot(key.shot) else { return await !library.contains(key.shot) }
        return !shot.captures.contains { $0.device.id == key.device }
    }

    /// Carries out what a node's backlog wants.
    func carryOut(_ actions: [Backlog.Action], of node: NodeName) async {
        for action in actions {
            switch action {
            case .request(let after):
                // The backlog requests it again after its patience.
                guard shots.hasRoomForLate else { continue }
                await links?.send(.listInventory(after: after), to: node)
            case .tell(let orphans):
                await tell(orphans: orphans, of: node)
            }
        }
    }

    private func tell(orphans: Int, of node: NodeName) async {
        guard orphans > 0 else { return }
        log.error(
            "a node holds captures that no shot of the library expects; they stay in its spool, and `capctl spool list` lists them",
            metadata: ["node": "\(node)", "captures": "\(orphans)"])
        await announce(.spool(.orphaned), details: ["node": node.rawValue, "captures": "\(orphans)"])
    }
}
