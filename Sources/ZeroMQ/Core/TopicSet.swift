/// The prefixes somebody is subscribed to, bounded in length and number because peers choose them.
struct TopicSet {
    /// Longest topic, in bytes. libzmq 4.3.4 takes one of 246 to 255 bytes for a subscription to everything.
    static let maximumLength = 64
    static let maximumCount = 10_000

    private var prefixes: Set<[UInt8]> = []

    /// All prefixes, in no order.
    var all: [[UInt8]] { Array(prefixes) }

    /// Adds a prefix; false when it is over a limit, or there already.
    mutating func insert(_ prefix: [UInt8]) -> Bool {
        guard prefix.count <= Self.maximumLength, prefixes.count < Self.maximumCount else { return false }
        return prefixes.insert(prefix).inserted
    }

    mutating func remove(_ prefix: [UInt8]) -> Bool { prefixes.remove(prefix) != nil }

    /// Whether a message that begins with `topic` goes to anyone.
    func matches(_ topic: [UInt8]) -> Bool {
        (0...min(topic.count, Self.maximumLength)).contains { prefixes.contains(Array(topic.prefix($0))) }
    }
}
