import CaptureModel
import ControlMessages
import Logging
import ShotLogic
import StorageKit

/// Collecting the files in the spools of nodes.
extension Rig {
    /// Accepts a requested page of a node's inventory.
    func accept(_ page: InventoryPage, from node: NodeName) async -> [AgentFault] {
        guard nodes.expectsPage(of: node, after: page.after) else { return [] }
        var orphans = 0
        var faults: [AgentFault] = []
        for report in page.captures where await !offer(report, &faults) { orphans += 1 }
        let summary = BacklogPage(last: page.captures.last?.key, hasMore: page.hasMore, orphans: orphans)
        await carryOut(nodes.received(summary, of: node, after: page.after, at: clock.now()), of: node)
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
            if await library.isOrphan(listing.captures[index].key) { listing.captures[index].state = .orphan }
        }
        return listing
    }

    /// - Parameter problem: Why the file was given up; nil if the library has it. A file that cannot succeed, such as
    ///   one with wrong bytes, is not requested again before the node's next hello.
    func noteEnd(of key: FileKey, _ problem: RigProblem? = nil) async {
        let actions = nodes.ended(key, isLeftBehind: problem?.mayPass ?? false, at: clock.now())
        await carryOut(actions, of: key.capture.device.node)
    }

    /// Applies the passing of time to every connected node's backlog.
    func watchBacklogs() async {
        for node in nodes.withBacklog { await carryOut(nodes.backlogTimePassed(of: node, at: clock.now()), of: node) }
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
