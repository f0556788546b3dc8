public import CaptureModel
public import RigProtocol

extension FrameCounters {
    public init(wire: WireFrameCounters) throws(WireError) {
        let reader = FieldReader("FrameCounters")
        self.init()
        delivered = try reader.count(wire.delivered, "delivered")
        droppedByDevice = try reader.count(wire.droppedByDevice, "dropped_by_device")
        flaggedErroneous = try reader.count(wire.flaggedErroneous, "flagged_erroneous")
        torn = try reader.count(wire.torn, "torn")
        droppedByNode = try reader.count(wire.droppedByNode, "dropped_by_node")
        stalls = try reader.count(wire.stalls, "stalls")
    }

    public var wire: WireFrameCounters {
        var wire = WireFrameCounters()
        wire.delivered = delivered
        wire.droppedByDevice = droppedByDevice
        wire.flaggedErroneous = flaggedErroneous
        wire.torn = torn
        wire.droppedByNode = droppedByNode
        wire.stalls = stalls
        return wire
    }
}
