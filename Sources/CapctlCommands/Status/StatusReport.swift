internal import CaptureModel
internal import RigClient

/// The state of a rig.
struct StatusReport: Report {
    var status: RigStatus

    var document: StatusDocument { StatusDocument(status) }

    var table: String { head + nodes + foot }

    private var head: String {
        let free = Decimals.byteText(status.libraryFreeBytes)
        return "\(status.software), \(status.openShots) open shots, \(free) free in the library\n"
    }

    private var nodes: String {
        let columns: [Table.Column] = [
            .init("NODE"), .init("STATE"), .init("DEVICES", .right), .init("CLOCK"), .init("RING", .right),
            .init("SPOOL", .right), .init("SPOOL FREE", .right), .init("HEARD", .right), .init("SOFTWARE"),
        ]
        return Table(columns: columns, rows: status.nodes.map(row)).rendered()
    }

    private func row(_ node: NodeStatus) -> [String] {
        [
            node.node.rawValue, node.isConnected ? "connected" : "away", "\(node.devicesRunning)/\(node.devices)",
            node.clockBound.map { "± \($0.shortText)" } ?? "not synchronized", node.ringDepth.shortText,
            Decimals.byteText(node.spoolUsedBytes), Decimals.byteText(node.spoolFreeBytes),
            node.lastHeard.map { "\((status.now - $0).shortText) ago" } ?? "never", node.software,
        ]
    }

    private var foot: String {
        let dropped = status.droppedMessages.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        guard !dropped.isEmpty else { return "" }
        return "dropped messages: " + dropped.map { "\($0.key) \($0.value)" }.joined(separator: ", ") + "\n"
    }
}
