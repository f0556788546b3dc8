public import CaptureModel
public import ControlMessages
import FoundationEssentials
public import RigProtocol
import StrictJSON

extension NodeMessage {
    /// - Parameter node: The node that sends the message. A message that names a device of another node is not valid.
    /// - Returns: nil for a kind of message that this version does not know.
    public init?(wire: WireAgentMessage.OneOf_Body?, from node: NodeName) throws(WireError) {
        guard var reading = try NodeMessageReading(wire, from: node) else { return nil }
        while try reading.readReport() {}
        self = reading.message
    }

    public var wire: WireAgentMessage.OneOf_Body {
        switch self {
        case .hello(let hello): return .hello(hello.wire)
        case .heartbeat(let heartbeat): return .heartbeat(heartbeat.wire)
        case .prepareResult(let result): return .prepareResult(result.wire)
        case .captureResult(.captured(let report)): return .captured(report.wire)
        case .captureResult(.missed(let key, let problem)):
            var missed = WireCaptureMissed()
            missed.shotID = key.shot.wire
            missed.device = key.device.device.rawValue
            missed.problem = problem.wire
            return .missed(missed)
        case .events(let batch): return .events(batch.wire)
        case .deviceAnswer(let answer): return .deviceAnswer(answer.wire)
        case .inventory(let page): return .inventory(page.wire)
        }
    }
}

extension PrepareResult {
    init(wire: WirePrepareResult, from node: NodeName, ignored: inout IgnoredMembers) throws(WireError) {
        let reader = FieldReader("PrepareResult")
        let key = try reader.capture(wire.shotID, wire.device, of: node)
        switch wire.outcome {
        case .armed(let resolved):
            self.init(key: key, outcome: .success(try ResolvedPhotoSettings(wire: resolved, ignored: &ignored)))
        case .refused(let problem): self.init(key: key, outcome: .failure(RigProblem(wire: problem)))
        case nil: throw reader.invalid("outcome", "is required and absent")
        }
    }

    var wire: WirePrepareResult {
        var wire = WirePrepareResult()
        wire.shotID = key.shot.wire
        wire.device = key.device.device.rawValue
        switch outcome {
        case .success(let resolved): wire.armed = resolved.wire
        case .failure(let problem): wire.refused = problem.wire
        }
        return wire
    }
}

extension EventBatch {
    /// An invalid event keeps its place, so that it is acknowledged with the others: it would not be valid the next
    /// time either.
    init(wire: WireEventBatch) throws(WireError) {
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

    /// The batch. An entry without a valid event has only its number, which is not valid at the receiver either.
    var wire: WireEventBatch {
        var wire = WireEventBatch()
        wire.events = entries.map { entry in
            var numbered = WireNumberedEvent()
            numbered.epoch = entry.position.epoch.wire
            numbered.sequence = entry.position.sequence
            if case .success(let event) = entry.event { numbered.event = event.wire }
            return numbered
        }
        if let follows {
            wire.follows.epoch = follows.epoch.wire
            wire.follows.sequence = follows.sequence
        }
        return wire
    }
}

extension DeviceAnswer {
    init(wire: WireDeviceAnswer, from node: NodeName) throws(WireError) {
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

    var wire: WireDeviceAnswer {
        var wire = WireDeviceAnswer()
        wire.requestID = number
        switch outcome {
        case .success(let reply): wire.reply = reply.wire
        case .failure(let problem): wire.problem = problem.wire
        }
        wire.devices = devices.map(\.wire)
        return wire
    }
}

extension InventoryPage {
    /// The page without its captures.
    init(wire: WireInventory) throws(WireError) {
        self.init(
            after: wire.hasAfter ? try CaptureKey(wire: wire.after) : nil, captures: [], hasMore: wire.hasMore_p)
    }

    var wire: WireInventory {
        var wire = WireInventory()
        if let after { wire.after = after.wire }
        wire.captures = captures.map(\.wire)
        wire.hasMore_p = hasMore
        return wire
    }
}

extension FieldReader {
    func capture(_ shot: Data, _ device: String, of node: NodeName) throws(WireError) -> CaptureKey {
        CaptureKey(shot: try shotID(shot), device: DeviceID(node: node, device: try name(device, "device")))
    }
}
