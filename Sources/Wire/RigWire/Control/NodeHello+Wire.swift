import CaptureModel
import ControlMessages
import RigProtocol

extension NodeHello {
    /// The hello without the captures of its inventory.
    init(wire: WireHello, from node: NodeName) throws(WireError) {
        let reader = FieldReader("Hello")
        try reader.version(wire.protocolVersion, "protocol_version", of: "the coordinator")
        self.init(
            software: wire.software.sentence(limit: WireLimits.wordByteCount),
            bootID: try reader.word(wire.bootID, "boot_id"),
            busLibrary: wire.hasBusLibrary ? try BusLibrary(wire: wire.busLibrary) : nil,
            devices: try reader.statuses(wire.devices, of: node),
            rigClock: wire.rigClockID.isEmpty ? nil : try reader.rigClockID(wire.rigClockID),
            ringDepth: .nanoseconds(wire.ringDepthNs),
            frames: wire.hasFrames ? try FramesStatus(wire: wire.frames) : nil,
            inventory: InventoryPage(after: nil, captures: [], hasMore: wire.inventoryTruncated))
    }

    var wire: WireHello {
        var wire = WireHello()
        wire.protocolVersion = ProtocolVersion.current
        wire.software = software
        wire.bootID = bootID
        if let busLibrary { wire.busLibrary = busLibrary.wire }
        wire.devices = devices.map(\.wire)
        wire.ringDepthNs = ringDepth.nanoseconds
        if let frames { wire.frames = frames.wire }
        wire.rigClockID = rigClock?.rawValue ?? ""
        wire.inventory = inventory.captures.map(\.wire)
        wire.inventoryTruncated = inventory.hasMore
        return wire
    }
}

extension NodeHeartbeat {
    init(wire: WireHeartbeat, from node: NodeName) throws(WireError) {
        let shortage = wire.spoolShortage.sentence(limit: WireLimits.reasonByteCount)
        let reader = FieldReader("Heartbeat")
        self.init(
            sequence: wire.sequence, devices: try reader.statuses(wire.devices, of: node),
            rigClock: wire.rigClockID.isEmpty ? nil : try reader.rigClockID(wire.rigClockID),
            clockBound: wire.hasClockBoundNs ? .nanoseconds(wire.clockBoundNs) : nil,
            clock: wire.hasClock ? try ClockStatus(wire: wire.clock) : nil,
            ringDepth: .nanoseconds(wire.ringDepthNs), spoolUsedBytes: wire.spoolUsedBytes,
            spoolFreeBytes: wire.spoolFreeBytes, frames: wire.hasFrames ? try FramesStatus(wire: wire.frames) : nil,
            pressure: wire.hasPressure ? try SystemPressure(wire: wire.pressure) : nil,
            spoolShortage: shortage.isEmpty ? nil : shortage)
    }

    var wire: WireHeartbeat {
        var wire = WireHeartbeat()
        wire.sequence = sequence
        wire.devices = devices.map(\.wire)
        wire.rigClockID = rigClock?.rawValue ?? ""
        if let clockBound { wire.clockBoundNs = clockBound.nanoseconds }
        if let clock { wire.clock = clock.wire }
        wire.ringDepthNs = ringDepth.nanoseconds
        wire.spoolUsedBytes = spoolUsedBytes
        wire.spoolFreeBytes = spoolFreeBytes
        if let pressure { wire.pressure = pressure.wire }
        wire.spoolShortage = spoolShortage ?? ""
        if let frames { wire.frames = frames.wire }
        return wire
    }
}

extension FieldReader {
    /// Returns the status of a node's devices, each of them once.
    func statuses(_ wire: [WireDeviceStatus], of node: NodeName) throws(WireError) -> [DeviceStatus] {
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
}
