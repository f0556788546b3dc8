public import CaptureModel
internal import RigWire

/// The streams of live pictures, and what nodes have published: `capctl frames info`.
public struct FramesInfoDocument: Encodable, Sendable {
    var nodes: [Node]
    public var streams: [Stream]

    /// A node that publishes frames.
    struct Node: Encodable {
        var endpoint: String
        var node: String
        var published: Integer64
        var publishedBytes: Integer64
        var refusedConnections: Integer64
        var scaled: Integer64
        /// The number of topics that have a subscriber.
        var watched: Int
    }

    /// A camera's frames of one kind. Sizes are absent if the node decides them, or the camera has not run yet.
    public struct Stream: Encodable, Sendable {
        var device: String
        public var endpoint: String?
        public var framesPerSecond: Double?
        public var height: Int?
        var kind: String
        public var state: String
        public var topic: String
        public var width: Int?
    }

    /// - Parameter cameras: The cameras that have live pictures.
    public init(_ nodes: [NodeStatus], cameras: [DeviceStatus]) {
        self.nodes = nodes.compactMap { node in node.frames.map { Node(node.node, $0) } }
        streams = cameras.flatMap { camera in
            let endpoint = nodes.first { $0.node == camera.device.id.node }?.frames?.endpoint
            return FrameKind.allCases.map { Stream(camera, $0, endpoint: endpoint) }
        }
    }
}

extension FramesInfoDocument.Node {
    fileprivate init(_ node: NodeName, _ frames: FramesStatus) {
        endpoint = frames.endpoint
        self.node = node.rawValue
        published = Integer64(frames.published)
        publishedBytes = Integer64(frames.publishedBytes)
        refusedConnections = Integer64(frames.refusedConnections)
        scaled = Integer64(frames.scaled)
        watched = frames.watched
    }
}

extension FramesInfoDocument.Stream {
    fileprivate init(_ camera: DeviceStatus, _ kind: FrameKind, endpoint: String?) {
        let format = camera.condition.format
        let size = kind.divisor.flatMap { divisor in
            format.map { (($0.width + divisor - 1) / divisor, ($0.height + divisor - 1) / divisor) }
        }
        device = camera.device.id.description
        self.endpoint = endpoint
        framesPerSecond = camera.condition.frameInterval.map { 1e9 / Double($0.nanoseconds) }
        height = size?.1
        self.kind = kind.rawValue
        state = camera.condition.state.rawValue
        topic = FrameTopic(device: camera.device.id, kind: kind).description
        width = size?.0
    }
}
