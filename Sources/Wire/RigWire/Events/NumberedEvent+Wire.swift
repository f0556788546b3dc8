public import CaptureModel
public import RigProtocol

extension NumberedEvent {
    public init(wire: WireNumberedEvent) throws(WireError) {
        let reader = FieldReader("NumberedEvent")
        self.init(
            epoch: try reader.epoch(wire.epoch),
            sequence: UInt64(try reader.number(wire.sequence, "sequence", in: 1...Int64.max)),
            event: try RigEvent(wire: try reader.present(wire.hasEvent ? wire.event : nil, "event")))
    }

    public var wire: WireNumberedEvent {
        var wire = WireNumberedEvent()
        wire.epoch = epoch.wire
        wire.sequence = sequence
        wire.event = event.wire
        return wire
    }
}

extension FeedEvent {
    public init(wire: WireFeedEvent) throws(WireError) {
        let reader = FieldReader("FeedEvent")
        let source = NumberedEvent(
            epoch: try reader.epoch(wire.sourceEpoch, "source_epoch"),
            sequence: UInt64(try reader.number(wire.sourceSequence, "source_sequence", in: 1...Int64.max)),
            event: try RigEvent(wire: try reader.present(wire.hasEvent ? wire.event : nil, "event")))
        self.init(
            coordinatorEpoch: try reader.epoch(wire.coordinatorEpoch, "coordinator_epoch"),
            sequence: UInt64(try reader.number(wire.sequence, "sequence", in: 1...Int64.max)),
            node: wire.node.isEmpty ? nil : try reader.name(wire.node, "node"),
            source: source)
    }

    public var wire: WireFeedEvent {
        var wire = WireFeedEvent()
        wire.coordinatorEpoch = coordinatorEpoch.wire
        wire.sequence = sequence
        wire.node = node?.rawValue ?? ""
        wire.sourceEpoch = source.epoch.wire
        wire.sourceSequence = source.sequence
        wire.event = source.event.wire
        return wire
    }
}

extension RigEvent {
    public init(wire: WireEvent) throws(WireError) {
        let reader = FieldReader("Event")
        let name = EventName(rawValue: wire.name)
        guard name.isWellFormed else { throw reader.invalid("name", "must be 1 to 56 of a-z, A-Z, 0-9, '.' and '-'") }
        self.init(
            name,
            realtimeNanoseconds: wire.realtimeNs,
            local: LocalTime(nanoseconds: wire.localNs),
            rig: try Self.rig(of: wire, reader),
            device: wire.hasDevice ? try DeviceID(wire: wire.device) : nil,
            shot: wire.shotID.isEmpty ? nil : try reader.shotID(wire.shotID),
            details: try Self.details(of: wire, reader))
    }

    private static func rig(of wire: WireEvent, _ reader: FieldReader) throws(WireError) -> BoundedRigTime? {
        guard wire.hasRigNs || wire.hasBoundNs else { return nil }
        let time = try reader.present(wire.hasRigNs ? wire.rigNs : nil, "rig_ns")
        let bound = try reader.present(wire.hasBoundNs ? wire.boundNs : nil, "bound_ns")
        return BoundedRigTime(
            time: RigTime(nanoseconds: time),
            bound: .nanoseconds(try reader.number(bound, "bound_ns", in: WireLimits.nonNegative)))
    }

    private static func details(of wire: WireEvent, _ reader: FieldReader) throws(WireError) -> [String: String] {
        guard wire.details.count <= WireLimits.details else {
            throw reader.invalid(
                "details", "has \(wire.details.count) entries; at most \(WireLimits.details) are allowed")
        }
        var details: [String: String] = [:]
        for (key, value) in wire.details {
            details[try reader.word(key, "details")] = value.sentence(limit: WireLimits.reasonByteCount)
        }
        return details
    }

    /// The event on the wire. Details beyond the limits are cut, in order of their keys, so that an event with too many
    /// details still arrives.
    public var wire: WireEvent {
        var wire = WireEvent()
        wire.realtimeNs = realtimeNanoseconds
        wire.localNs = local.nanoseconds
        if let rig {
            wire.rigNs = rig.time.nanoseconds
            wire.boundNs = rig.boundNanoseconds
        }
        wire.name = name.rawValue
        if let device { wire.device = device.wire }
        if let shot { wire.shotID = shot.wire }
        for (key, value) in details.sorted(by: { $0.key < $1.key }).prefix(WireLimits.details) {
            wire.details[key] = value.sentence(limit: WireLimits.reasonByteCount)
        }
        return wire
    }
}
