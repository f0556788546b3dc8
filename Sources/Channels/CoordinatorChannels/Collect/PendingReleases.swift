import CaptureModel
import OrderedCollections

/// Releases that no agent has answered yet: what a node may let go of, which it is told whenever it binds a connection, and
/// after two seconds, then twice as long each time, up to a minute, until it answers. A node whose disk refuses to let go does
/// not answer.
///
/// A value without sockets and clock. Bounded: a node that never comes back keeps at most `limit`, the newest; the others come
/// up with the node's next inventory.
struct PendingReleases: Sendable {
    static let limit = 4096
    static let delay = RetryDelay(first: .seconds(2), last: .seconds(60))
    /// How many of a node are told again at a time, the oldest.
    static let batch = 64

    private struct Waiting {
        /// The digest of what is durable; none for a failure.
        var files: OrderedDictionary<FileKey, ContentDigest?> = [:]
        var delay = PendingReleases.delay
        var due: LocalTime

        init(at now: LocalTime) {
            due = now + delay.take()
        }
    }

    private var nodes: [NodeName: Waiting] = [:]

    mutating func add(_ key: FileKey, _ digest: ContentDigest?, at now: LocalTime) {
        let node = key.capture.device.node
        nodes[node, default: Waiting(at: now)].files.updateValue(digest, forKey: key)
        if let count = nodes[node]?.files.count, count > Self.limit { nodes[node]?.files.removeFirst() }
    }

    /// A node that answers has a disk that works: what else it owes is asked for soon.
    mutating func answered(_ key: FileKey, at now: LocalTime) {
        let node = key.capture.device.node
        guard var waiting = nodes[node] else { return }
        waiting.files.removeValue(forKey: key)
        waiting.delay.reset()
        waiting.due = now + waiting.delay.take()
        nodes[node] = waiting.files.isEmpty ? nil : waiting
    }

    /// In the order in which they were made.
    func of(_ node: NodeName) -> [(key: FileKey, digest: ContentDigest?)] {
        nodes[node]?.files.map { ($0.key, $0.value) } ?? []
    }

    /// When ``takeDue(of:at:)`` has something; nil where nothing waits.
    func nextInstant(of isConnected: (NodeName) -> Bool) -> LocalTime? {
        nodes.filter { isConnected($0.key) }.values.map(\.due).min()
    }

    /// What such nodes are to be told again now.
    mutating func takeDue(of isConnected: (NodeName) -> Bool, at now: LocalTime)
        -> [(key: FileKey, digest: ContentDigest?)]
    {
        nodes.keys.sorted().filter(isConnected).flatMap { node in
            guard let due = nodes[node]?.due, due <= now, let pause = nodes[node]?.delay.take() else {
                return [(key: FileKey, digest: ContentDigest?)]()
            }
            nodes[node]?.due = now + pause
            return Array(of(node).prefix(Self.batch))
        }
    }
}
