public import CaptureModel
public import RigProtocol

extension NodeStatus {
    public init(wire: WireNodeStatus) throws(WireError) {
        let reader = FieldReader("NodeStatus")
        self.init(
            node: try reader.name(wire.node, "node"), isConnected: wire.connected,
            clockBound: wire.hasClockBoundNs ? .nanoseconds(wire.clockBoundNs) : nil,
            ringDepth: .nanoseconds(wire.ringDepthNs), spoolUsedBytes: wire.spoolUsedBytes,
            spoolFreeBytes: wire.spoolFreeBytes, devices: Int(wire.devices), devicesRunning: Int(wire.devicesRunning),
            software: wire.software.sentence(limit: WireLimits.wordByteCount),
            busLibrary: wire.hasBusLibrary ? try BusLibrary(wire: wire.busLibrary) : nil,
            lastHeard: wire.lastHeardRigNs == 0 ? nil : RigTime(nanoseconds: wire.lastHeardRigNs),
            frames: wire.hasFrames ? try FramesStatus(wire: wire.frames) : nil,
            pressure: wire.hasPressure ? try SystemPressure(wire: wire.pressure) : nil,
            spoolShortage: wire.spoolShortage.isEmpty
                ? nil : wire.spoolShortage.sentence(limit: WireLimits.reasonByteCount))
    }

    public var wire: WireNodeStatus {
        var wire = WireNodeStatus()
        wire.node = node.rawValue
        wire.connected = isConnected
        if let clockBound { wire.clockBoundNs = clockBound.nanoseconds }
        wire.ringDepthNs = ringDepth.nanoseconds
        wire.spoolUsedBytes = spoolUsedBytes
        wire.spoolFreeBytes = spoolFreeBytes
        wire.devices = UInt32(clamping: devices)
        wire.devicesRunning = UInt32(clamping: devicesRunning)
        wire.software = software
        if let busLibrary { wire.busLibrary = busLibrary.wire }
        wire.lastHeardRigNs = lastHeard?.nanoseconds ?? 0
        if let frames { wire.frames = frames.wire }
        if let pressure { wire.pressure = pressure.wire }
        wire.spoolShortage = spoolShortage ?? ""
        return wire
    }
}
