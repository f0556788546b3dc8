public import CaptureModel
public import ControlMessages
import FoundationEssentials
public import RigProtocol
import RigSecurity

extension CoordinatorMessage {
    /// - Parameter node: The node to which the message is sent. The devices that it names are those of the node.
    /// - Returns: nil for a kind of message that this version does not know.
    public init?(wire: WireCoordinatorMessage.OneOf_Body?, to node: NodeName) throws(WireError) {
        switch wire {
        case .welcome(let welcome): self = .welcome(try Welcome(wire: welcome))
        case .refused(let refused): self = .refused(RigProblem(wire: refused.problem))
        case .heartbeatAck(let ack): self = .heartbeatAcknowledged(sequence: ack.sequence)
        case .coordinatorKey(let key):
            self = .coordinatorKey(try FieldReader("CoordinatorKey").publicKey(key.publicKey))
        case .viewers(let viewers): self = .viewers(try AdmittedViewers(wire: viewers))
        case .helloRequired, .prepare, .fire, .cancel, .eventAck, .inventoryRequest, .deviceOrder, nil:
            guard let order = try NodeOrder(wire: wire, to: node) else { return nil }
            self = .order(order)
        }
    }

    public var wire: WireCoordinatorMessage.OneOf_Body {
        switch self {
        case .welcome(let welcome): return .welcome(welcome.wire)
        case .refused(let problem):
            var refused = WireRefused()
            refused.problem = problem.wire
            return .refused(refused)
        case .heartbeatAcknowledged(let sequence):
            var ack = WireHeartbeatAck()
            ack.sequence = sequence
            return .heartbeatAck(ack)
        case .coordinatorKey(let key):
            var message = WireCoordinatorKey()
            message.publicKey = Data(key.bytes)
            return .coordinatorKey(message)
        case .viewers(let viewers): return .viewers(viewers.wire)
        case .order(let order): return order.wire
        }
    }
}

extension Welcome {
    init(wire: WireWelcome) throws(WireError) {
        let reader = FieldReader("Welcome")
        let ports: ClosedRange<Int64> = 1...Int64(UInt16.max)
        let interval = try reader.number(
            wire.heartbeatIntervalNs, "heartbeat_interval_ns", in: 10_000_000...60_000_000_000)
        self.init(
            rigClock: RigClockID(rawValue: wire.rigClockID),
            clockPort: UInt16(clamping: try reader.number(wire.clockPort, "clock_port", in: ports)),
            collectPort: UInt16(clamping: try reader.number(wire.collectPort, "collect_port", in: ports)),
            heartbeatInterval: .nanoseconds(interval),
            heartbeatTimeout: .nanoseconds(
                try reader.number(wire.heartbeatTimeoutNs, "heartbeat_timeout_ns", in: interval...600_000_000_000)))
    }

    var wire: WireWelcome {
        var wire = WireWelcome()
        wire.protocolVersion = ProtocolVersion.current
        wire.rigClockID = rigClock.rawValue
        wire.clockPort = UInt32(clockPort)
        wire.collectPort = UInt32(collectPort)
        wire.heartbeatIntervalNs = heartbeatInterval.nanoseconds
        wire.heartbeatTimeoutNs = heartbeatTimeout.nanoseconds
        return wire
    }
}

extension AdmittedViewers {
    init(wire: WireViewers) throws(WireError) {
        let reader = FieldReader("Viewers")
        self.init(
            revision: try reader.count(wire.revision, "revision"),
            holders: try reader.list(wire.holders, "holders", limit: WireLimits.viewers).map {
                (holder) throws(WireError) in try KeyHolder(wire: holder)
            })
    }

    /// The message; holders beyond its limit are left out.
    var wire: WireViewers {
        var wire = WireViewers()
        wire.revision = revision
        wire.holders = holders.prefix(WireLimits.viewers).map(\.wire)
        return wire
    }
}
