import CaptureModel
import RigProtocol
import RigWire
import ShotLogic

/// What clients ask of the roster.
extension Rig {
    func deviceList() -> WireDeviceList {
        var list = WireDeviceList()
        list.devices = roster.devices.map { DeviceStatus(device: $0.description, condition: $0.condition).wire }
        return list
    }

    func forget(_ devices: [DeviceID]) async throws(CaptureProblem) -> WireForgotten {
        let forgotten = try roster.forget(devices)
        if !forgotten.isEmpty { await saveRoster() }
        for device in forgotten {
            await announce(EventName(rawValue: "device.forgotten"), device: device)
            if roster.nodes[device.node]?.agent == nil { await giveUpFiles(of: device) }
        }
        var answer = WireForgotten()
        answer.devices = forgotten.map(\.wire)
        return answer
    }

    /// Nobody waits any more for files that only a forgotten device's node had; if it comes back, they are late.
    private func giveUpFiles(of device: DeviceID) async {
        let problem = CaptureProblem(.fileLost, "the device '\(device)' was forgotten before its file was collected")
        for (id, shot) in shots.sorted(by: { $0.key < $1.key }) {
            guard let capture = shot.machine.shot.captures.first(where: { $0.device.id == device }) else { continue }
            for file in capture.files where file.outcome == .pending {
                let key = FileKey(capture: CaptureKey(shot: id, device: device), kind: file.kind)
                await handle(.storingFailed(key, problem), shot: id)
                await links?.abandon(key)
                await noteEnd(of: key)
            }
        }
    }

    func status() -> WireRigStatus {
        var status = WireRigStatus()
        status.rigClockID = clockID.rawValue
        status.rigNowNs = now.nanoseconds
        status.nodes = roster.nodes.sorted { $0.key < $1.key }.map { $1.status(named: $0) }
        status.openShots = UInt32(shots.count)
        status.takes = openTakes()
        status.triggerTimeoutNs = settings.timeout.nanoseconds
        return status
    }
}

extension RosterNode {
    fileprivate func status(named node: NodeName) -> WireNodeStatus {
        var status = WireNodeStatus()
        status.node = node.rawValue
        status.connected = agent != nil
        status.devices = UInt32(devices.count)
        status.devicesRunning = UInt32(devices.values.filter(\.condition.isUsable).count)
        status.lastHeardRigNs = lastHeard?.nanoseconds ?? 0
        guard let agent else { return status }
        if let bound = agent.clockBound { status.clockBoundNs = bound.nanoseconds }
        status.ringDepthNs = agent.ringDepth.nanoseconds
        status.spoolUsedBytes = agent.spoolUsedBytes
        status.spoolFreeBytes = agent.spoolFreeBytes
        status.software = agent.software
        if let library = agent.busLibrary { status.busLibrary = library.wire }
        if let frames = agent.frames { status.frames = frames.wire }
        if let pressure = agent.pressure { status.pressure = pressure.wire }
        status.spoolShortage = agent.spoolShortage ?? ""
        return status
    }
}
