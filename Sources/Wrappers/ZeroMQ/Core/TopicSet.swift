/// The prefixes somebody is subscribed to, bounded in length and number because peers choose them.
struct TopicSet {
    /// Longest topic, in bytes. libzmq 4.3.4 takes one of 246 to 255 bytes for a subscription to everything.
    static let maximumLength = 64
    static let maximumCount = 10_000

    /// With who asked first, where that is known.
    private var prefixes: [[UInt8]: SubscriberTopics.Subscriber?] = [:]

    /// All prefixes, in no order.
    var all: [[UInt8]] { Array(prefixes.keys) }

    /// Adds a prefix; false when it is over a limit, or there already.
    mutating func insert(_ prefix: [UInt8], by subscriber: SubscriberTopics.Subscriber?) -> Bool {
        guard prefix.count <= Self.maximumLength, prefixes.count < Self.maximumCount,
            !prefixes.keys.contains(prefix)
        else { return false }
        prefixes.updateValue(subscriber, forKey: prefix)
        return true
    }

    /// - Returns: Who had asked for it first; nil where it is not there.
    mutating func remove(_ prefix: [UInt8]) -> SubscriberTopics.Subscriber?? { prefixes.removeValue(forKey: prefix) }

    /// Whether a message that begins with `topic` goes to anyone.
    func matches(_ topic: [UInt8]) -> Bool {
        guard !prefixes.isEmpty else { return false }
        return (0...min(topic.count, Self.maximumLength)).contains { prefixes.keys.contains(Array(topic.prefix($0))) }
    }
}
