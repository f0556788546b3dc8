internal import CaptureModel
internal import RigWire

/// The devices of a rig.
struct DeviceReport: Report {
    var devices: [DeviceStatus]

    var document: [String: [DeviceStatus]] { ["devices": devices] }

    var table: String {
        let columns: [Table.Column] = [
            .init("DEVICE"), .init("STATE"), .init("TYPE"), .init("POSITION"), .init("FORMAT"), .init("LOST", .right),
            .init("PURPOSE OR REASON"),
        ]
        return Table(columns: columns, rows: devices.map(row)).rendered()
    }

    private func row(_ status: DeviceStatus) -> [String] {
        let (device, condition) = (status.device, status.condition)
        return [
            device.id.description, condition.state.rawValue, device.type.rawValue, device.position.rawValue,
            condition.format?.description ?? "-", lost(condition.counters).description,
            condition.reason ?? device.purpose,
        ]
    }

    /// Frames that did not reach the ring, by whatever cause.
    private func lost(_ counters: FrameCounters) -> UInt64 {
        counters.droppedByDevice &+ counters.flaggedErroneous &+ counters.torn &+ counters.droppedByNode
    }
}
