internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// The devices of a rig.
struct DeviceReport: Report {
    var devices: [DeviceStatus]

    var document: DevicesDocument { DevicesDocument(devices) }
    var names: [String]? { devices.map(\.device.id.description) }
    var emptiness: String? {
        devices.isEmpty
            ? "no devices yet; those of a machine are listed when it has joined: `capctl node invite NAME`" : nil
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("DEVICE", .left, .end(10)), .init("STATE"), .init("READY", dropped: 3), .init("TYPE", dropped: 4),
            .init("POSITION", dropped: 5), .init("FORMAT", dropped: 1), .init("LOST", .right, dropped: 2),
            .init("LOAD", .right, dropped: 6), .init("PURPOSE OR REASON", .left, .wrap(20)),
        ]
        return Table(columns: columns, rows: devices.map(row)).rendered(layout)
    }

    private func row(_ status: DeviceStatus) -> [String] {
        let (device, condition) = (status.device, status.condition)
        return [
            device.id.description, condition.state.rawValue,
            condition.session?.readiness.rawValue ?? "-", device.type.rawValue, device.position.rawValue,
            format(condition), lost(condition.counters).description,
            load(condition.session?.cost),
            ([condition.reason ?? device.purpose] + warnings(condition)).joined(separator: "; "),
        ]
    }

    /// The format, with the measured rate if the camera is slower than its format states.
    private func format(_ condition: DeviceCondition) -> String {
        guard let format = condition.format else { return "-" }
        guard let interval = condition.frameInterval, interval > format.frameInterval else { return format.description }
        return "\(format), delivers \(Decimals.text(Duration.seconds(1) / interval, digits: 1))"
    }

    /// The bus bandwidth that its stream uses.
    private func load(_ cost: SessionCost?) -> String {
        cost.map { Decimals.byteText($0.streamBytesPerSecond) + "/s" } ?? "-"
    }

    private func warnings(_ condition: DeviceCondition) -> [String] {
        condition.session?.cost?.warnings ?? []
    }

    /// Frames that did not reach the ring, for any cause.
    private func lost(_ counters: FrameCounters) -> UInt64 {
        counters.droppedByDevice &+ counters.flaggedErroneous &+ counters.torn &+ counters.droppedByNode
    }
}
