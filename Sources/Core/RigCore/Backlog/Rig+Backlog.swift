import CaptureModel
import Logging
import ShotLogic
import StorageKit

/// What lies in the spools of nodes, brought into the library.
extension Rig {
    /// Shots that may be under way again because of files that nodes still have. Where the library's disk does not take
    /// their manifests they gather, so no further page is asked for.
    static let lateShotLimit = 1024

    /// Goes on with what a hello did not list, once what it listed is taken up.
    func beginBacklog(of node: NodeName, _ page: BacklogPage) async {
        await change(backlogOf: node) { backlog, now in backlog.begin(page, at: now) }
    }

    /// Accepts a page of a node's inventory that was asked for.
    func accept(_ page: InventoryPage, from node: NodeName) async -> [AgentFault] {
        guard backlogs[node]?.expects(page.after) == true else { return [] }
        var orphans = 0
        var faults: [AgentFault] = []
        for report in page.captures where await !offer(report, &faults) { orphans += 1 }
        let summary = BacklogPage(last: page.captures.last?.key, hasMore: page.hasMore, orphans: orphans)
        await change(backlogOf: node) { backlog, now in backlog.received(summary, after: page.after, at: now) }
        return faults
    }

    /// - Returns: Whether a shot expects the capture.
    private func offer(_ report: CaptureReport, _ faults: inout [AgentFault]) async -> Bool {
        guard await reopen(report.key.shot) else { return false }
        let isExpected = isExpected(report.key)
        if let contradiction = contradictions(of: [report])[report.key] {
            faults.append(.contradiction(contradiction))
            await reject(report.key, contradiction)
            return isExpected
        }
        await handle(.offered(report), shot: report.key.shot)
        return isExpected
    }

    func isExpected(_ key: CaptureKey) -> Bool {
        shots[key.shot]?.machine.shot.captures.contains { $0.device.id == key.device } ?? false
    }

    func noteCollect(_ key: FileKey) {
        backlogs[key.capture.device.node, default: Backlog(at: clock.now())].began(key)
    }

    /// - Parameter problem: Why it was given up; nil where the library has it. A file that will never do, such as one
    ///   whose bytes are wrong, is not asked for again before the node's next hello.
    func noteEnd(of key: FileKey, _ problem: CaptureProblem? = nil) async {
        guard backlogs[key.capture.device.node] != nil else { return }
        let isLeftBehind = problem?.mayPass ?? false
        await change(backlogOf: key.capture.device.node) { backlog, now in
            backlog.ended(key, isLeftBehind: isLeftBehind, at: now)
        }
    }

    /// Gives the files of a capture that its node has discarded their outcome.
    func noteDiscard(_ event: RigEvent, by node: NodeName) async {
        guard event.name == .spoolDiscarded, event.details["state"] != SpooledCapture.State.damaged.rawValue,
            let device = event.device, device.node == node, let shot = event.shot, await reopen(shot)
        else { return }
        let problem = CaptureProblem(
            .discarded, "somebody had the files of '\(device)' removed from the spool of node '\(node)'")
        await handle(.discarded(device, problem), shot: shot)
    }

    /// Lets time pass for every connected node's backlog.
    func watchBacklogs() async {
        for node in backlogs.keys.sorted() where roster.nodes[node]?.agent != nil {
            await change(backlogOf: node) { backlog, now in backlog.timePassed(at: now) }
        }
    }

    /// Says of every capture that waits in a spool whether the library expects it.
    func markOrphans(in listing: SpoolListing) async -> SpoolListing {
        var listing = listing
        for index in listing.captures.indices where listing.captures[index].state == .waiting {
            if await isOrphan(listing.captures[index].key) { listing.captures[index].state = .orphan }
        }
        return listing
    }

    private func isOrphan(_ key: CaptureKey) async -> Bool {
        // A manifest that cannot be read says nothing against the capture.
        guard let shot = try? await library.shot(key.shot) else { return await !library.contains(key.shot) }
        return !shot.captures.contains { $0.device.id == key.device }
    }

    private func change(
        backlogOf node: NodeName, _ body: (inout Backlog, LocalTime) -> [Backlog.Action]
    ) async {
        let now = clock.now()
        for action in body(&backlogs[node, default: Backlog(at: now)], now) {
            switch action {
            case .request(let after):
                // It is asked for again after the backlog's patience.
                guard shots.values.count(where: \.isLate) < Self.lateShotLimit else { continue }
                await links?.send(.listInventory(after: after), to: node)
            case .tell(let orphans):
                await tell(orphans: orphans, of: node)
            }
        }
    }

    private func tell(orphans: Int, of node: NodeName) async {
        guard orphans > 0 else { return }
        log.error(
            "a node holds captures that no shot of the library expects; they stay in its spool, see `capctl spool list`",
            metadata: ["node": "\(node)", "captures": "\(orphans)"])
        await announce(.spool(.orphaned), details: ["node": node.rawValue, "captures": "\(orphans)"])
    }
}
