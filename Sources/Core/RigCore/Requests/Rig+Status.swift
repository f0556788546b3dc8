import CaptureModel
import ShotLogic
import StorageKit

/// What requests ask of the roster.
extension Rig {
    func deviceList() -> [DeviceStatus] {
        roster.devices.map { DeviceStatus(device: $0.description, condition: $0.condition) }
    }

    /// Removes devices from the roster.
    /// - Returns: Those that were in it.
    func forget(_ devices: [DeviceID]) async throws(CaptureProblem) -> [DeviceID] {
        let forgotten = try roster.forget(devices)
        if !forgotten.isEmpty { await saveRoster() }
        for device in forgotten {
            await announce(EventName(rawValue: "device.forgotten"), device: device)
            if roster.nodes[device.node]?.agent == nil { await giveUpFiles(of: device) }
        }
        return forgotten
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

    /// How the rig stands; what is known of the library is for the caller to add.
    func status() -> RigStatus {
        RigStatus(
            rigClock: clockID, now: now,
            nodes: roster.nodes.sorted { $0.key < $1.key }.map { $1.status(named: $0) }, openShots: shots.count,
            takes: openTakes(), triggerTimeout: settings.timeout)
    }
}

extension RosterNode {
    fileprivate func status(named node: NodeName) -> NodeStatus {
        NodeStatus(
            node: node, isConnected: agent != nil, clockBound: agent?.clockBound, ringDepth: agent?.ringDepth ?? .zero,
            spoolUsedBytes: agent?.spoolUsedBytes ?? 0, spoolFreeBytes: agent?.spoolFreeBytes ?? 0,
            devices: devices.count, devicesRunning: devices.values.count(where: \.condition.isUsable),
            software: agent?.software ?? "", busLibrary: agent?.busLibrary,
            // The rig's time line is this machine's own clock.
            lastHeard: lastHeard.map { RigTime(nanoseconds: $0.nanoseconds) }, frames: agent?.frames,
            pressure: agent?.pressure, spoolShortage: agent?.spoolShortage)
    }
}
