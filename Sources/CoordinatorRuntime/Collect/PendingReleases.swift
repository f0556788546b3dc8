import CaptureModel
import OrderedCollections

/// Releases that no agent has answered yet: what a node may let go of, which it is told whenever it binds a connection until
/// it answers.
///
/// A value without sockets. Bounded: a node that never comes back keeps at most `limit`, the newest; the others come up
/// with the node's next inventory.
struct PendingReleases: Sendable {
    static let limit = 4096

    /// The digest of what is durable; none for a failure.
    private var nodes: [NodeName: OrderedDictionary<FileKey, ContentDigest?>] = [:]

    mutating func add(_ key: FileKey, _ digest: ContentDigest?) {
        let node = key.capture.device.node
        nodes[node, default: [:]].updateValue(digest, forKey: key)
        if let count = nodes[node]?.count, count > Self.limit { nodes[node]?.removeFirst() }
    }

    mutating func answered(_ key: FileKey) {
        let node = key.capture.device.node
        nodes[node]?.removeValue(forKey: key)
        if nodes[node]?.isEmpty == true { nodes[node] = nil }
    }

    /// In the order in which they were made.
    func of(_ node: NodeName) -> [(key: FileKey, digest: ContentDigest?)] {
        nodes[node]?.map { ($0.key, $0.value) } ?? []
    }
}
