internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl frames info`.
struct FramesInfoCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "info", abstract: "List the streams of live pictures, and count what the nodes have published.",
        discussion: "Asks only the coordinator. It subscribes to nothing, so no picture is made.")

    static let examples: [CommandExample] = [
        "capctl frames info node1/cam1"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @Argument(help: "Cameras, as node/device (default: all).", completion: .devices, transform: { try DeviceID($0) })
    var devices: [DeviceID] = []

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            let cameras = try StreamedCameras.of(try await client.devices(), named: devices)
            return FramesInfoReport(devices: cameras, nodes: try await client.status().nodes)
        }
        try output.show(report, on: console)
        return .complete
    }
}

/// The endpoints and formats of streams.
struct FramesInfoReport: Report {
    var devices: [DeviceStatus]
    var nodes: [NodeStatus]

    var document: FramesInfoDocument { FramesInfoDocument(nodes, cameras: devices) }

    /// The cameras, as the other commands of live pictures name them.
    var names: [String]? { devices.map(\.device.id.description) }

    var emptiness: String? {
        devices.isEmpty && nodes.isEmpty ? "no cameras yet; `capctl node invite NAME` admits a machine with some" : nil
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("STREAM", .left, .end(12)), .init("STATE", dropped: 1), .init("SIZE", .right), .init("FPS", .right),
            .init("ENDPOINT", .left, .end(12)),
        ]
        let rows = document.streams.map { stream in
            [
                stream.topic, stream.state, stream.width.map { "\($0)x\(stream.height ?? 0)" } ?? "-",
                stream.framesPerSecond.map { Decimals.text($0, digits: 1) } ?? "-", stream.endpoint ?? "-",
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout) + foot
    }

    private var foot: String {
        nodes.compactMap { node in
            node.frames.map { frames in
                "\(node.node): \(frames.watched) watched, \(frames.published) messages, "
                    + "\(Decimals.byteText(Int64(clamping: frames.publishedBytes))), \(frames.scaled) pictures scaled"
                    + (frames.refusedConnections > 0 ? ", \(frames.refusedConnections) connections refused\n" : "\n")
            }
        }.joined()
    }
}
