import CaptureModel
import FoundationEssentials
import Journal
import RigAccess
import RigCore
import RigProtocol
import RigSecurity
import RigWire

extension AgentHello {
    init(wire: WireHello, from node: NodeName, epoch: Epoch) throws(WireError) {
        let reader = FieldReader("Hello")
        try reader.version(wire.protocolVersion, "protocol_version", of: "the coordinator")
        let agent = ConnectedAgent(
            epoch: epoch, bootID: try reader.word(wire.bootID, "boot_id"),
            software: wire.software.sentence(limit: WireLimits.wordByteCount),
            ringDepth: .nanoseconds(wire.ringDepthNs),
            rigClock: wire.rigClockID.isEmpty ? nil : try reader.rigClockID(wire.rigClockID),
            busLibrary: wire.hasBusLibrary ? try BusLibrary(wire: wire.busLibrary) : nil,
            frames: wire.hasFrames ? try FramesStatus(wire: wire.frames) : nil)
        self.init(
            node: node, agent: agent, devices: try reader.statuses(wire.devices, of: node),
            inventory: try reader.reports(wire.inventory, "inventory", of: node),
            isInventoryTruncated: wire.inventoryTruncated)
    }
}

extension AgentMessage {
    /// A message of an agent that has joined.
    /// - Parameter node: The agent's node. A message that names a device of another node is not valid.
    /// - Returns: nil for a hello, or for a kind that this version does not know.
    init?(wire: WireAgentMessage.OneOf_Body?, from node: NodeName) throws(WireError) {
        switch wire {
        case .heartbeat(let heartbeat): self = .heartbeat(try AgentHeartbeat(wire: heartbeat, from: node))
        case .prepareResult(let result): self = try Self.prepared(result, node)
        case .captured(let report):
            self = .captured(try FieldReader("CaptureReport").report(report, "device", of: node))
        case .missed(let missed):
            let key = try FieldReader("CaptureMissed").capture(missed.shotID, missed.device, of: node)
            self = .missed(key, RigProblem(wire: missed.problem))
        case .events(let batch): self = .events(try ReceivedEvents(wire: batch))
        case .deviceAnswer(let answer): self = .deviceAnswer(try DeviceAnswer(wire: answer, from: node))
        case .inventory(let page): self = .inventory(try InventoryPage(wire: page, from: node))
        case .hello, nil: return nil
        }
    }

    private static func prepared(_ wire: WirePrepareResult, _ node: NodeName) throws(WireError) -> AgentMessage {
        let reader = FieldReader("PrepareResult")
        let key = try reader.capture(wire.shotID, wire.device, of: node)
        switch wire.outcome {
        case .armed(let resolved): return .prepared(key, .success(try ResolvedPhotoSettings(wire: resolved)))
        case .refused(let problem): return .prepared(key, .failure(RigProblem(wire: problem)))
        case nil: throw reader.invalid("outcome", "is required and absent")
        }
    }
}

extension PublicKey {
    /// The key as the coordinator's own, for nodes.
    var message: WireCoordinatorKey {
        var message = WireCoordinatorKey()
        message.publicKey = Data(bytes)
        return message
    }
}

extension AccessSnapshot {
    /// The keys that a frames channel admits.
    var viewers: WireViewers {
        var viewers = WireViewers()
        viewers.revision = revision
        viewers.holders = holders(admittedTo: .frames).prefix(WireLimits.viewers).map(\.wire)
        return viewers
    }
}

extension AgentHeartbeat {
    fileprivate init(wire: WireHeartbeat, from node: NodeName) throws(WireError) {
        let shortage = wire.spoolShortage.sentence(limit: WireLimits.reasonByteCount)
        let reader = FieldReader("Heartbeat")
        self.init(
            devices: try reader.statuses(wire.devices, of: node),
            rigClock: wire.rigClockID.isEmpty ? nil : try reader.rigClockID(wire.rigClockID),
            clockBound: wire.hasClockBoundNs ? .nanoseconds(wire.clockBoundNs) : nil,
            ringDepth: .nanoseconds(wire.ringDepthNs), spoolUsedBytes: wire.spoolUsedBytes,
            spoolFreeBytes: wire.spoolFreeBytes, frames: wire.hasFrames ? try FramesStatus(wire: wire.frames) : nil,
            pressure: wire.hasPressure ? try SystemPressure(wire: wire.pressure) : nil,
            spoolShortage: shortage.isEmpty ? nil : shortage)
    }
}

extension ReceivedEvents {
    /// An invalid event keeps its place, so that it is acknowledged with the others: it would not be valid the next
    /// time either.
    fileprivate init(wire: WireEventBatch) throws(WireError) {
        let reader = FieldReader("EventBatch")
        let events = try reader.list(wire.events, "events", limit: WireLimits.eventsPerBatch)
        self.init(
            follows: wire.hasFollows ? try reader.position(wire.follows.epoch, wire.follows.sequence) : nil,
            entries: try events.map { (event) throws(WireError) in
                Entry(position: try reader.position(event.epoch, event.sequence), event: Self.event(in: event))
            })
    }

    private static func event(in wire: WireNumberedEvent) -> Result<RigEvent, RigProblem> {
        do throws(WireError) {
            return .success(try NumberedEvent(wire: wire).event)
        } catch {
            return .failure(RigProblem(.protocolViolation, error.description))
        }
    }
}

extension DeviceAnswer {
    fileprivate init(wire: WireDeviceAnswer, from node: NodeName) throws(WireError) {
        let reader = FieldReader("DeviceAnswer")
        let devices = try reader.statuses(wire.devices, of: node)
        let outcome: Result<DeviceReply, RigProblem> =
            switch wire.outcome {
            case .reply(let reply): Self.outcome(reply, node)
            case .problem(let problem): .failure(RigProblem(wire: problem))
            case nil: throw reader.invalid("outcome", "is required and absent")
            }
        self.init(number: wire.requestID, devices: devices, outcome: outcome)
    }

    /// An invalid reply is reported to the requester, which would otherwise wait for another one.
    private static func outcome(_ wire: WireDeviceReply, _ node: NodeName) -> Result<DeviceReply, RigProblem> {
        do throws(WireError) {
            return .success(try DeviceReply(wire: wire))
        } catch {
            return .failure(
                RigProblem(
                    .protocolViolation,
                    "node '\(node)' gave an answer that is not valid: \(error); install equal versions on node and coordinator"
                ))
        }
    }
}

extension InventoryPage {
    fileprivate init(wire: WireInventory, from node: NodeName) throws(WireError) {
        self.init(
            after: wire.hasAfter ? try CaptureKey(wire: wire.after) : nil,
            captures: try FieldReader("Inventory").reports(wire.captures, "captures", of: node),
            hasMore: wire.hasMore_p)
    }
}

extension FieldReader {
    fileprivate func statuses(
        _ wire: [WireDeviceStatus], of node: NodeName
    ) throws(WireError) -> [DeviceStatus] {
        let statuses = try list(wire, "devices", limit: WireLimits.devicesPerNode)
            .map { (status) throws(WireError) in try DeviceStatus(wire: status) }
        guard statuses.allSatisfy({ $0.device.id.node == node }) else {
            throw invalid("devices", "names a device of another node")
        }
        var named: Set<DeviceID> = []
        for status in statuses where !named.insert(status.device.id).inserted {
            throw invalid("devices", "names '\(status.device.id)' twice; each device has one state")
        }
        return statuses
    }

    fileprivate func reports(
        _ wire: [WireCaptureReport], _ field: String, of node: NodeName
    ) throws(WireError) -> [CaptureReport] {
        try list(wire, field, limit: WireLimits.inventory)
            .map { (wire) throws(WireError) in try report(wire, field, of: node) }
    }

    fileprivate func report(
        _ wire: WireCaptureReport, _ field: String, of node: NodeName
    ) throws(WireError) -> CaptureReport {
        let report = try CaptureReport(wire: wire)
        guard report.key.device.node == node else { throw invalid(field, "names a device of another node") }
        return report
    }

    fileprivate func capture(
        _ shot: Data, _ device: String, of node: NodeName
    ) throws(WireError) -> CaptureKey {
        CaptureKey(shot: try shotID(shot), device: DeviceID(node: node, device: try name(device, "device")))
    }

    fileprivate func position(_ epoch: UInt64, _ sequence: UInt64) throws(WireError) -> EventPosition {
        EventPosition(epoch: try self.epoch(epoch), sequence: sequence)
    }
}
