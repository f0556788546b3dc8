/// The first subscriber of a topic came, or its last one went.
public struct SubscriptionChange: Sendable, Hashable {
    /// The prefix subscribed to; empty means everything.
    public let topic: [UInt8]
    public let isSubscribed: Bool

    public init(topic: [UInt8], isSubscribed: Bool) {
        self.topic = topic
        self.isSubscribed = isSubscribed
    }
}
