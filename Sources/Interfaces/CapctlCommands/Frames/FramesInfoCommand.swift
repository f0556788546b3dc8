internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigWire

/// `capctl frames info`.
struct FramesInfoCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "List the streams of live pictures, and count what the nodes have published.",
        discussion: "Asks only the coordinator. It subscribes to nothing, so no picture is made.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @Argument(help: "Cameras, as node/device (default: all).", transform: { try DeviceID($0) })
    var devices: [DeviceID] = []

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            let cameras = try StreamedCameras.of(try await client.devices(), named: devices)
            return FramesInfoReport(devices: cameras, nodes: try await client.status().nodes)
        }
        console.write(try report.rendered(as: output.format))
        return .complete
    }
}

/// The endpoints and formats of streams.
struct FramesInfoReport: Report {
    var devices: [DeviceStatus]
    var nodes: [NodeStatus]

    /// `capctl frames info --format json`.
    struct Document: Encodable {
        var nodes: [Node]
        var streams: [Stream]
    }

    /// A node that publishes frames.
    struct Node: Encodable {
        var node: String
        var endpoint: String
        var watched: Int
        var published: UInt64
        var publishedBytes: UInt64
        var scaled: UInt64
        var refusedConnections: UInt64
    }

    /// A camera's frames of one kind. Sizes are absent if the node decides them, or the camera has not run yet.
    struct Stream: Encodable {
        var device: String
        var kind: String
        var topic: String
        var endpoint: String?
        var state: String
        var width: Int?
        var height: Int?
        var framesPerSecond: Double?
    }

    var document: Document {
        let publishing = nodes.compactMap { node in node.frames.map { Node(node.node, $0) } }
        return Document(nodes: publishing, streams: devices.flatMap(streams))
    }

    var table: String {
        let columns: [Table.Column] = [
            .init("STREAM"), .init("STATE"), .init("SIZE", .right), .init("FPS", .right), .init("ENDPOINT"),
        ]
        let rows = devices.flatMap(streams).map { stream in
            [
                stream.topic, stream.state, stream.width.map { "\($0)x\(stream.height ?? 0)" } ?? "-",
                stream.framesPerSecond.map { Decimals.text($0, digits: 1) } ?? "-", stream.endpoint ?? "-",
            ]
        }
        return Table(columns: columns, rows: rows).rendered() + foot
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

    private func streams(_ status: DeviceStatus) -> [Stream] {
        let endpoint = nodes.first { $0.node == status.device.id.node }?.frames?.endpoint
        return FrameKind.allCases.map { kind in
            let format = status.condition.format
            let size = kind.divisor.flatMap { divisor in
                format.map { (($0.width + divisor - 1) / divisor, ($0.height + divisor - 1) / divisor) }
            }
            return Stream(
                device: status.device.id.description, kind: kind.rawValue,
                topic: FrameTopic(device: status.device.id, kind: kind).description, endpoint: endpoint,
                state: status.condition.state.rawValue, width: size?.0, height: size?.1,
                framesPerSecond: format.map { 1e9 / Double($0.frameIntervalNanoseconds) })
        }
    }
}

extension FramesInfoReport.Node {
    init(_ node: NodeName, _ frames: FramesStatus) {
        self.init(
            node: node.rawValue, endpoint: frames.endpoint, watched: frames.watched, published: frames.published,
            publishedBytes: frames.publishedBytes, scaled: frames.scaled,
            refusedConnections: frames.refusedConnections)
    }
}
