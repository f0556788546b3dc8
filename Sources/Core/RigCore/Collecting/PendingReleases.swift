import CaptureModel
import OrderedCollections

/// Releases that no agent has answered yet. A release is sent whenever the node binds a connection, after two seconds,
/// and then after twice as long each time, up to a minute, until the node answers. A node whose disk refuses to release
/// a file does not answer.
///
/// A value without sockets or a clock. Bounded: a node that never returns keeps at most `limit`, the newest; the others
/// return with the node's next inventory.
struct PendingReleases: Sendable {
    static let limit = 4096
    static let delay = RetryDelay(first: .seconds(2), last: .seconds(60))
    /// Number of releases of a node that are sent again at a time, the oldest first.
    static let batch = 64

    private struct Waiting {
        /// The digest of the durable file; nil for a failure.
        var files: OrderedDictionary<FileKey, ContentDigest?> = [:]
        var delay = PendingReleases.delay
        var due: LocalTime

        init(at now: LocalTime) {
            due = now + delay.advance()
        }
    }

    private var nodes: [NodeName: Waiting] = [:]

    mutating func add(_ key: FileKey, _ digest: ContentDigest?, at now: LocalTime) {
        let node = key.capture.device.node
        nodes[node, default: Waiting(at: now)].files.updateValue(digest, forKey: key)
        if let count = nodes[node]?.files.count, count > Self.limit { nodes[node]?.files.removeFirst() }
    }

    /// Notes an answer. A node that answers has a disk that works, so its other releases are sent again soon.
    mutating func answered(_ key: FileKey, at now: LocalTime) {
        let node = key.capture.device.node
        guard var waiting = nodes[node] else { return }
        waiting.files.removeValue(forKey: key)
        waiting.delay.reset()
        waiting.due = now + waiting.delay.advance()
        nodes[node] = waiting.files.isEmpty ? nil : waiting
    }

    /// Returns the releases of a node, in the order in which they were added.
    func of(_ node: NodeName) -> [(key: FileKey, digest: ContentDigest?)] {
        nodes[node]?.files.map { ($0.key, $0.value) } ?? []
    }

    /// Returns when ``removeDue(of:at:)`` has releases; nil if none waits.
    func nextInstant(of isConnected: (NodeName) -> Bool) -> LocalTime? {
        nodes.filter { isConnected($0.key) }.values.map(\.due).min()
    }

    /// Returns the releases to send again to connected nodes at this instant.
    mutating func removeDue(of isConnected: (NodeName) -> Bool, at now: LocalTime)
        -> [(key: FileKey, digest: ContentDigest?)]
    {
        nodes.keys.sorted().filter(isConnected).flatMap { node in
            guard let due = nodes[node]?.due, due <= now, let pause = nodes[node]?.delay.advance() else {
                return [(key: FileKey, digest: ContentDigest?)]()
            }
            nodes[node]?.due = now + pause
            return Array(of(node).prefix(Self.batch))
        }
    }
}

/// When to ask each node for a hello that has files to collect, but has not said hello on the collect channel. Its
/// hello may have been lost, and the node says another one after its next welcome on the control channel.
///
/// A value without a clock. Bounded by the nodes that have files to collect.
struct HelloRequests: Sendable {
    static let patience = Duration.seconds(2)

    private var due: [NodeName: LocalTime] = [:]

    /// When ``nextDue(silent:at:)`` has nodes; nil if no node is silent.
    var nextInstant: LocalTime? { due.values.min() }

    /// Returns the nodes to ask at this instant. Each is returned again later if it stays silent.
    /// - Parameter silent: All nodes that have files to collect and have not said hello.
    mutating func nextDue(silent: Set<NodeName>, at now: LocalTime) -> [NodeName] {
        due = due.filter { silent.contains($0.key) }
        for node in silent where due[node] == nil { due[node] = now + Self.patience }
        let asked = due.filter { $0.value <= now }.keys.sorted()
        for node in asked { due[node] = now + Self.patience }
        return asked
    }
}
