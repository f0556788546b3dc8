import CaptureModel
import Logging
import RigProtocol
import RigWire
import ShotLogic

/// What agents say, once their connection is known.
extension Rig {
    /// The nodes whose agent is connected.
    var connectedNodes: Set<NodeName> { Set(roster.nodes.filter { $0.value.agent != nil }.map(\.key)) }

    /// An agent asks to be part of the rig.
    /// - Returns: Whether another life of the agent was connected before, or why it may not.
    func admit(_ hello: AgentHello) async -> Result<Bool, CaptureProblem> {
        let devices = hello.devices.map { RosterDevice(description: $0.device, condition: $0.condition) }
        let verdict = roster.hello(
            from: hello.node, agent: hello.agent, devices: devices, at: clock.now(), timeout: settings.heartbeatTimeout)
        switch verdict {
        case .refused(let problem):
            await tellRefused(hello, problem)
            return .failure(problem)
        case .accepted(let isNew, let hasRestarted, let rosterChanged):
            eventCursors[hello.node] = EventCursor()
            if rosterChanged { await saveRoster() }
            if isNew { await tellConnected(hello) }
            return .success(hasRestarted)
        }
    }

    private func tellRefused(_ hello: AgentHello, _ problem: CaptureProblem) async {
        let notice = joinNotices.refused(hello.node, hello.agent.epoch, problem, at: clock.now())
        if let notice { await tell(notice) }
    }

    private func tellConnected(_ hello: AgentHello) async {
        if let notice = joinNotices.joined(hello.node, devices: hello.devices.count, at: clock.now()) {
            await tell(notice)
        }
    }

    /// Logs and announces who has joined or was refused.
    func tell(_ notice: JoinNotices.Notice) async {
        var details = notice.details
        if notice.count > 1 { details["count"] = "\(notice.count)" }
        log.log(
            level: notice.name == .node(.refused) ? .error : .info, "a node has said hello",
            metadata: details.mapValues { "\($0)" }.merging(["event": "\(notice.name)"]) { _, name in name })
        await announce(notice.name, details: details)
    }

    /// Reconciles every shot with what the node has in its spool; called once the node has been welcomed, so that what
    /// the shots ask of it reaches it.
    /// - Returns: What is wrong with the reports that were not taken.
    @discardableResult
    func reconcile(_ hello: AgentHello, epochChanged: Bool) async -> [WireError] {
        await relay(.nodeConnected(hello.node, hasRestarted: epochChanged))
        let listed = Dictionary(grouping: hello.inventory, by: \.key.shot)
        var orphans = 0
        var rejected: [WireError] = []
        for id in Set(listed.keys).union(shots.keys).sorted() {
            // Nothing may come between the two: what a settled shot is told of another node ends it again.
            guard listed[id] == nil ? shots[id] != nil : await takeUp(id) else {
                orphans += listed[id]?.count ?? 0
                continue
            }
            orphans += listed[id]?.count { !isExpected($0.key) } ?? 0
            let faults = faults(of: listed[id] ?? [])
            let sound = (listed[id] ?? []).filter { faults[$0.key] == nil }
            let unlisted = presumedReports(of: hello.node, in: id, unlike: sound).filter {
                hello.isInventoryTruncated || faults[$0.key] != nil
            }
            await handle(
                .nodeConnected(hello.node, epochChanged: epochChanged, inventory: sound + unlisted), shot: id)
            for (key, fault) in faults.sorted(by: { $0.key < $1.key }) { await reject(key, fault) }
            rejected += faults.values
        }
        let page = BacklogPage(last: hello.inventory.last?.key, hasMore: hello.isInventoryTruncated, orphans: orphans)
        await beginBacklog(of: hello.node, page)
        return rejected
    }

    /// Which of these reports of one shot under way contradict it, or themselves.
    func faults(of reports: [CaptureReport]) -> [CaptureKey: WireError] {
        var faults: [CaptureKey: WireError] = [:]
        for report in reports {
            guard let time = shots[report.key.shot]?.machine.shot.time else { continue }
            do throws(WireError) { try report.check(against: time) } catch { faults[report.key] = error }
        }
        return faults
    }

    /// Has the shot know that a report was not taken.
    func reject(_ key: CaptureKey, _ fault: WireError) async {
        let problem = CaptureProblem(
            .protocolViolation,
            "Node '\(key.device.node)' took a picture with '\(key.device)' and reported it with a time that cannot be true (\(fault)), so the report was not taken and the files stay in the node's spool. Use programs of one version; report it."
        )
        log.error("a report is not taken", metadata: ["capture": "\(key)", "reason": "\(fault)"])
        await handle(.reportRejected(key.device, problem), shot: key.shot)
    }

    /// What a hello that lists only part of a spool leaves open is presumed to be there still: collecting it tells.
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
            let report = CaptureReport(
                key: key, resolved: resolved, timing: timing, files: files, owed: owed.map(\.kind), clip: capture.clip,
                streamGap: capture.streamGap, movie: capture.movie)
            return report.isSpent ? nil : report
        }
    }

    /// Has a node join again; without effect when it is not connected.
    func requireHello(of node: NodeName) async {
        await links?.send(.helloRequired(WireHelloRequired()), to: node)
    }

    /// Notes a sign of life of an admitted agent.
    /// - Returns: false when another life speaks for the node meanwhile.
    func heard(from node: NodeName, epoch: Epoch) -> Bool {
        roster.heard(from: node, epoch: epoch, at: clock.now())
    }

    func take(_ heartbeat: WireHeartbeat, from node: NodeName) async throws(WireError) {
        let frames = heartbeat.hasFrames ? try FramesStatus(wire: heartbeat.frames) : nil
        let pressure = heartbeat.hasPressure ? try SystemPressure(wire: heartbeat.pressure) : nil
        try take(heartbeat.devices, of: node, FieldReader("Heartbeat"))
        roster.updateAgent(of: node) { agent in
            agent.clockBound = heartbeat.hasClockBoundNs ? .nanoseconds(heartbeat.clockBoundNs) : nil
            agent.ringDepth = .nanoseconds(heartbeat.ringDepthNs)
            agent.spoolUsedBytes = heartbeat.spoolUsedBytes
            agent.spoolFreeBytes = heartbeat.spoolFreeBytes
            agent.frames = frames
            agent.pressure = pressure
            agent.spoolShortage =
                heartbeat.spoolShortage.isEmpty
                ? nil : heartbeat.spoolShortage.sentence(limit: WireLimits.reasonByteCount)
        }
    }

    /// Takes over a node's listing of its devices; an empty one says that nothing has changed.
    func take(_ listing: [WireDeviceStatus], of node: NodeName, _ reader: FieldReader) throws(WireError) {
        let devices = try reader.list(listing, "devices", limit: WireLimits.devicesPerNode)
        let statuses = try devices.map { (wire) throws(WireError) in try DeviceStatus(wire: wire) }
        guard statuses.allSatisfy({ $0.device.id.node == node }) else {
            throw reader.invalid("devices", "names a device of another node")
        }
        let changed = roster.update(
            node, devices: statuses.map { RosterDevice(description: $0.device, condition: $0.condition) })
        for device in changed {
            log.info(
                "a device has changed",
                metadata: ["device": "\(device.description.id)", "state": "\(device.condition.state.rawValue)"])
        }
    }

    func take(_ result: WirePrepareResult, from node: NodeName) async throws {
        let id = try FieldReader("PrepareResult").shotID(result.shotID)
        let device = DeviceID(node: node, device: try DeviceName(result.device))
        switch result.outcome {
        case .armed(let resolved): await handle(.armed(device, try ResolvedPhotoSettings(wire: resolved)), shot: id)
        case .refused(let problem): await handle(.refused(device, CaptureProblem(wire: problem)), shot: id)
        case nil: throw FieldReader("PrepareResult").invalid("outcome", "is required and absent")
        }
    }

    func take(_ wire: WireCaptureReport, from node: NodeName) async throws {
        let report = try CaptureReport(wire: wire)
        guard report.key.device.node == node else {
            throw FieldReader("CaptureReport").invalid("device", "is of another node")
        }
        guard await takeUp(report.key.shot) else { return }
        if let fault = faults(of: [report])[report.key] {
            await reject(report.key, fault)
            throw fault
        }
        await handle(.captured(report), shot: report.key.shot)
    }

    func take(_ missed: WireCaptureMissed, from node: NodeName) async throws {
        let device = DeviceID(node: node, device: try DeviceName(missed.device))
        await handle(
            .captureMissed(device, CaptureProblem(wire: missed.problem)),
            shot: try FieldReader("CaptureMissed").shotID(missed.shotID))
    }

    /// A file has become durable in the library.
    /// - Returns: Whether a manifest will say so, on which the file's release follows; false where one says so already.
    @discardableResult
    func stored(_ key: FileKey, path: String) async -> Bool {
        guard await takeUp(key.capture.shot), let shot = shots[key.capture.shot]?.machine.shot else {
            await noteEnd(of: key)
            return false
        }
        let known = shot.captures.first { $0.device.id == key.capture.device }?.files.first { $0.kind == key.kind }
        await handle(.stored(key, path: path, at: present(for: shot)), shot: shot.id)
        return known?.outcome != .done && known?.outcome != .late
    }

    /// A file cannot be had or stored.
    func storingFailed(_ key: FileKey, _ problem: CaptureProblem) async {
        log.error("a file is not stored", metadata: ["file": "\(key)", "reason": "\(problem)"])
        await handle(.storingFailed(key, problem), shot: key.capture.shot)
        await noteEnd(of: key, problem)
    }
}
