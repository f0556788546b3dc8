internal import CaptureModel

/// The devices of a rig.
struct DeviceReport: Report {
    var devices: [DeviceStatus]

    var document: [String: [DeviceStatus]] { ["devices": devices] }

    var table: String {
        let columns: [Table.Column] = [
            .init("DEVICE"), .init("STATE"), .init("READY"), .init("TYPE"), .init("POSITION"), .init("FORMAT"),
            .init("LOST", .right),
            .init("LOAD", .right),
            .init("PURPOSE OR REASON"),
        ]
        return Table(columns: columns, rows: devices.map(row)).rendered()
    }

    private func row(_ status: DeviceStatus) -> [String] {
        let (device, condition) = (status.device, status.condition)
        return [
            device.id.description, condition.state.rawValue,
            condition.session?.readiness.rawValue ?? "-", device.type.rawValue, device.position.rawValue,
            condition.format?.description ?? "-", lost(condition.counters).description,
            load(condition.session?.cost),
            ([condition.reason ?? device.purpose] + warnings(condition)).joined(separator: "; "),
        ]
    }

    /// What its stream takes of a bus.
    private func load(_ cost: SessionCost?) -> String {
        cost.map { Decimals.byteText($0.streamBytesPerSecond) + "/s" } ?? "-"
    }

    private func warnings(_ condition: DeviceCondition) -> [String] {
        condition.session?.cost?.warnings ?? []
    }

    /// Frames that did not reach the ring, by whatever cause.
    private func lost(_ counters: FrameCounters) -> UInt64 {
        counters.droppedByDevice &+ counters.flaggedErroneous &+ counters.torn &+ counters.droppedByNode
    }
}
