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
