internal import CaptureModel
internal import Doctor
internal import RigClient
internal import RigDocuments

/// The state of a rig.
struct StatusReport: Report {
    var status: RigStatus
    var devices: [DeviceStatus]

    var document: StatusDocument { StatusDocument(status, devices: devices) }

    private var loads: [NodeName: NodeLoad] { NodeLoad.ofNodes(devices) }

    var names: [String]? { status.nodes.map(\.node.rawValue) }

    func table(_ layout: TextLayout) -> String { head(layout) + nodes(layout) + foot }

    private func head(_ layout: TextLayout) -> String {
        let free = Decimals.byteText(status.libraryFreeBytes)
        return "\(status.software), \(status.openShots) open shots, \(free) free in the library\n"
            + (status.hold.map { HoldReport.line($0, at: status.now, layout) } ?? "")
    }

    private func nodes(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("NODE", .left, .end(8)), .init("STATE"), .init("DEVICES", .right), .init("READY", dropped: 1),
            .init("LOAD", .right, dropped: 6), .init("PRESSURE", dropped: 4), .init("CLOCK"),
            .init("RING", .right, dropped: 7), .init("SPOOL", .right, dropped: 5),
            .init("SPOOL FREE", .right, dropped: 2), .init("HEARD", .right, dropped: 3), .init("SOFTWARE", dropped: 8),
        ]
        guard !status.nodes.isEmpty else { return "no nodes yet; `capctl node invite NAME` admits one\n" }
        let loads = loads
        return Table(columns: columns, rows: status.nodes.map { row($0, loads[$0.node]) }).rendered(layout)
    }

    private func row(_ node: NodeStatus, _ load: NodeLoad?) -> [String] {
        [
            node.node.rawValue, node.isConnected ? "connected" : "away", "\(node.devicesRunning)/\(node.devices)",
            load?.readiness?.rawValue ?? "-", load.map { Decimals.byteText($0.streamBytesPerSecond) + "/s" } ?? "-",
            node.pressure?.level.rawValue ?? "-", node.clockBound.map { "± \($0.shortText)" } ?? "not synchronized",
            node.ringDepth.shortText,
            Decimals.byteText(node.spoolUsedBytes), Decimals.byteText(node.spoolFreeBytes),
            node.lastHeard.map { "\((status.now - $0).shortText) ago" } ?? "never", node.software,
        ]
    }

    private var foot: String {
        gateways + retention + silence + (status.libraryProblem.map { "\($0.message)\n" } ?? "") + warnings + ghosts
            + libraries
            + drops + doctor
    }

    /// Where more is said about what is found, and what fixes it; empty if nothing is.
    private var doctor: String {
        let examination = RigFacts(status: status, devices: devices, isLocal: true).examined()
        return examination.findings.isEmpty ? "" : "\(examination.summary): capctl doctor says what fixes them\n"
    }

    private var gateways: String {
        status.gateways.map { "page: \($0.address) (gateway \($0.name))\n" }.joined()
    }

    private var retention: String {
        status.retention.map { "retention: \($0.summary)\n" } ?? ""
    }

    private var libraries: String {
        let nodes = status.nodes.filter(\.isConnected).map { ($0.node.rawValue, $0.busLibrary) }
        return ([("coordinator", status.busLibrary)] + nodes).compactMap { Self.trouble(of: $0, $1) }.joined()
    }

    private static func trouble(of process: String, _ library: BusLibrary?) -> String? {
        guard let library else {
            return
                "\(process): does not report its libzmq, so any peer may be able to abort it; install this version of Caprig\n"
        }
        guard !library.isHardened else { return nil }
        return
            "\(process): any peer can abort it through its libzmq \(library.version); build it with make, which links one that "
            + "is mended\n"
    }

    private var ghosts: String {
        let devices = devices.filter { $0.condition.state == .notConfigured }.map(\.device.id)
        return LeftOutDevices(devices).map { "\($0)\n" } ?? ""
    }

    private var silence: String {
        guard let silence = status.librarySilence else { return "" }
        return "the library's disk has not answered for \(silence.shortText); files wait in the nodes' spools\n"
    }

    private var warnings: String {
        loads.sorted { $0.key < $1.key }.flatMap { node, load in
            load.warnings.map { "\(node): \($0)\n" }
        }.joined() + status.nodes.flatMap { node in Self.troubles(of: node).map { "\(node.node): \($0)\n" } }.joined()
    }

    private static func troubles(of node: NodeStatus) -> [String] {
        let pressure = node.pressure.flatMap { pressure in
            pressure.reason.map { "under \(pressure.level.rawValue) pressure: \($0)" }
        }
        return [pressure, node.spoolShortage, node.clock?.conflict?.summary].compactMap(\.self)
    }

    private var drops: String {
        Self.line("dropped messages", status.droppedMessages)
            + Self.line("refused connections", status.refusedConnections)
    }

    private static func line(_ title: String, _ counts: [String: UInt64]) -> String {
        let counts = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        guard !counts.isEmpty else { return "" }
        return "\(title): " + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ") + "\n"
    }
}

extension NodeLoad {
    /// Overloads of the node by its cameras together: a sentence each.
    var warnings: [String] {
        buses.filter { $0.bytesPerSecond > $0.limitBytesPerSecond }.map { bus in
            "the cameras on USB bus \(bus.number) need \(Decimals.byteText(bus.bytesPerSecond))/s, and it carries about "
                + "\(Decimals.byteText(bus.limitBytesPerSecond))/s: put a camera on another controller, or choose smaller or compressed formats"
        }
    }
}
