package import CaptureModel
package import ControlMessages
import Logging
import ShotLogic
import StorageKit

/// Messages of agents with a known connection.
extension Rig {
    /// Admits an agent to the rig.
    /// - Returns: Whether another run of the agent was connected before, or why the agent is refused.
    package func admit(_ hello: NodeHello, from node: NodeName, epoch: Epoch) async -> Result<Bool, RigProblem> {
        let verdict = nodes.hello(
            hello, from: node, epoch: epoch, at: clock.now(),
            realtimeMilliseconds: wallClock.realtimeNanoseconds / 1_000_000)
        switch verdict {
        case .refused(let problem, let notice):
            if let notice { await tell(notice) }
            return .failure(problem)
        case .accepted(let hasRestarted, let rosterChanged, let notice):
            // Before anything else runs: requests that begin from here on are for the new run.
            if hasRestarted { await relay(.nodeConnected(node, hasRestarted: true)) }
            if rosterChanged { await nodes.saveRoster() }
            if let notice { await tell(notice) }
            return .success(hasRestarted)
        }
    }

    /// Notes a sign of life of an admitted agent.
    /// - Returns: false if another run of the node has connected since.
    package func heard(from node: NodeName, epoch: Epoch) -> Bool {
        nodes.heard(from: node, epoch: epoch, at: clock.now())
    }

    /// Logs and announces a node that has joined or was refused.
    func tell(_ notice: JoinNoticeLimiter.Notice) async {
        var details = notice.details
        if notice.count > 1 { details["count"] = "\(notice.count)" }
        log.log(
            level: notice.name == .node(.refused) ? .error : .info, "a node has said hello",
            metadata: details.mapValues { "\($0)" }.merging(["event": "\(notice.name)"]) { _, name in name })
        await announce(notice.name, details: details)
    }

    /// Reconciles every shot with the contents of the node's spool. Called after the node has been welcomed, so that
    /// requests of the shots reach it.
    /// - Returns: The parts that are not believed.
    @discardableResult
    package func reconcile(_ hello: NodeHello, from node: NodeName, epochChanged: Bool) async -> [AgentFault] {
        await relay(.nodeConnected(node, hasRestarted: false))
        nodes.wakeWaiters()
        beginDelivery(to: node)
        let inventory = hello.inventory
        let listed = Dictionary(grouping: inventory.captures, by: \.key.shot)
        var orphans = 0
        var doubted: [AgentFault] = []
        for id in Set(listed.keys).union(shots.ids).sorted() {
            // No other call may run between the two: an event of another node would end a settled shot again.
            guard listed[id] == nil ? shots[id] != nil : await reopen(id) else {
                orphans += listed[id]?.count ?? 0
                continue
            }
            orphans += listed[id]?.count { !isExpected($0.key) } ?? 0
            let reports = (listed[id] ?? []).map { checked($0, &doubted) }
            let unlisted = inventory.hasMore ? presumedReports(of: node, in: id, unlike: reports) : []
            await handle(.nodeConnected(node, epochChanged: epochChanged, inventory: reports + unlisted), shot: id)
        }
        let page = BacklogPage(last: inventory.captures.last?.key, hasMore: inventory.hasMore, orphans: orphans)
        await carryOut(nodes.beginBacklog(of: node, page, at: clock.now()), of: node)
        return doubted
    }

    /// Returns a report with the doubts of the coordinator.
    /// - Parameter faults: Receives the claims that are wrong.
    func checked(_ report: CaptureReport, _ faults: inout [AgentFault]) -> CaptureReport {
        guard isExpected(report.key), let shot = shots[report.key.shot]?.machine.shot else { return report }
        let node = report.key.device.node
        let namesSettings = report.timing.settings != nil || report.clip?.settings.isEmpty == false
        let check = ReportCheck(
            of: shot, received: shot.rigClock == clockID ? now : nil,
            clockBound: roster.nodes[node]?.agent?.clockBound,
            frameInterval: roster.frameInterval(of: report.key.device),
            settings: namesSettings
                ? ledger.content.known(since: nodes.joinedMilliseconds(of: node)) : KnownSettings())
        var report = report
        report.doubts = check.doubts(of: report)
        let wrong = report.doubts.filter { $0.verdict == .wrong }
        guard !wrong.isEmpty else { return report }
        let reasons = wrong.map(\.reason).joined(separator: "; ")
        log.error(
            "a report claims what cannot be true", metadata: ["capture": "\(report.key)", "reason": "\(reasons)"])
        faults.append(.wrongClaims(report.key, wrong))
        return report
    }

    /// Returns presumed reports of the captures that a truncated hello does not list. Collecting them shows whether
    /// they still exist.
    private func presumedReports(of node: NodeName, in id: ShotID, unlike listed: [CaptureReport]) -> [CaptureReport] {
        let listed = Set(listed.map(\.key))
        let captures = shots[id]?.machine.shot.captures ?? []
        return captures.filter { $0.device.id.node == node }.compactMap { capture in
            let key = CaptureKey(shot: id, device: capture.device.id)
            guard !listed.contains(key), let resolved = capture.resolved, let timing = capture.timing else {
                return nil
            }
            let files = capture.files.compactMap { file in
                file.digest.map { SpooledFile(kind: file.kind, byteCount: file.byteCount ?? 0, digest: $0) }
            }
            let owed = capture.files.filter { $0.kind.isMadeLater && $0.outcome == .pending && $0.digest == nil }
            var report = CaptureReport(
                key: key, resolved: resolved, timing: timing, files: files, owed: owed.map(\.kind), clip: capture.clip,
                streamGap: capture.streamGap, movie: capture.movie)
            report.doubts = capture.doubts
            return report.isSpent ? nil : report
        }
    }

    /// Makes a node join again. Has no effect if the node is not connected.
    package func requireHello(of node: NodeName) async {
        await links?.send(.helloRequired, to: node)
    }

    /// Accepts a message of an admitted agent.
    /// - Returns: The parts that are not accepted or not believed.
    @discardableResult
    package func accept(_ message: NodeMessage, from node: NodeName) async -> [AgentFault] {
        switch message {
        // Admitted and reconciled by its channel.
        case .hello: break
        case .heartbeat(let heartbeat): await accept(heartbeat, from: node)
        case .prepareResult(let result): await accept(result)
        case .captureResult(.captured(let report)): return await accept(report)
        case .captureResult(.missed(let key, let problem)):
            await handle(.captureMissed(key.device, problem), shot: key.shot)
        case .events(let batch):
            guard await accept(batch, from: node) else {
                await requireHello(of: node)
                return [.missingEvents(node)]
            }
        case .deviceAnswer(let answer): await accept(answer, from: node)
        case .inventory(let page): return await accept(page, from: node)
        }
        return []
    }

    private func accept(_ result: PrepareResult) async {
        let device = result.key.device
        switch result.outcome {
        case .success(let resolved): await handle(.armed(device, resolved), shot: result.key.shot)
        case .failure(let problem): await handle(.refused(device, problem), shot: result.key.shot)
        }
    }

    private func accept(_ heartbeat: NodeHeartbeat, from node: NodeName) async {
        noteChanges(nodes.heartbeat(heartbeat, from: node))
        beginDelivery(to: node)
        for position in dueAcknowledgements(of: node) { await links?.send(.acknowledgeEvents(position), to: node) }
    }

    /// Logs devices whose state has changed.
    func noteChanges(_ changed: [RosterDevice]) {
        for device in changed {
            log.info(
                "a device has changed",
                metadata: ["device": "\(device.description.id)", "state": "\(device.condition.state.rawValue)"])
        }
    }

    private func accept(_ report: CaptureReport) async -> [AgentFault] {
        guard await reopen(report.key.shot) else { return [] }
        var faults: [AgentFault] = []
        await handle(.captured(checked(report, &faults)), shot: report.key.shot)
        return faults
    }

    /// Notes that a file has become durable in the library.
    /// - Returns: Whether a manifest will record this, after which the file is released; false if a manifest already
    ///   does.
    @discardableResult
    package func stored(_ key: FileKey, path: String) async -> Bool {
        guard await reopen(key.capture.shot), let shot = shots[key.capture.shot]?.machine.shot else {
            await noteEnd(of: key)
            return false
        }
        let known = shot.captures.first { $0.device.id == key.capture.device }?.files.first { $0.kind == key.kind }
        await handle(.stored(key, path: path, at: present(for: shot)), shot: shot.id)
        return known?.outcome != .done && known?.outcome != .late
    }

    /// Notes that a file cannot be fetched or stored.
    package func storingFailed(_ key: FileKey, _ problem: RigProblem) async {
        log.error("a file is not stored", metadata: ["file": "\(key)", "reason": "\(problem)"])
        await handle(.storingFailed(key, problem), shot: key.capture.shot)
        await noteEnd(of: key, problem)
    }
}
