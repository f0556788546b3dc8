/// How many topics each TCP connection of a publisher has asked for, so that one that asks for too many is ended: libzmq keeps
/// them all, 50 bytes of memory for each byte, and goes through all of every subscriber whenever one of them leaves.
///
/// ```
///               topic, up to `limit`
///                  ┌─────┐
///   accepted ──▶ welcome ┘ ──────────────────▶ ended: to be shut down, once
///                            one more topic
/// ```
struct SubscriberTopics {
    /// Topics of one connection.
    static let limit = 256

    /// A connection. The system gives its descriptor to another one when it has ended, its number to none.
    struct Subscriber: Hashable {
        var descriptor: Int32
        var number: UInt64
    }

    private struct Connection {
        var number: UInt64
        var port: UInt16
        var topicCount = 0
    }

    private var connections: [Int32: Connection] = [:]
    private var lastNumber: UInt64 = 0

    mutating func accepted(descriptor: Int32, port: UInt16) {
        lastNumber += 1
        connections[descriptor] = Connection(number: lastNumber, port: port)
    }

    /// Counts a topic that a connection has asked for.
    /// - Returns: Who that is, nil for other transports; and its port where this is the first topic too many.
    mutating func count(topicBy descriptor: Int32?) -> (subscriber: Subscriber?, endAtPort: UInt16?) {
        guard let descriptor, var connection = connections[descriptor] else { return (nil, nil) }
        connection.topicCount += 1
        connections[descriptor] = connection
        let subscriber = Subscriber(descriptor: descriptor, number: connection.number)
        return (subscriber, connection.topicCount == Self.limit + 1 ? connection.port : nil)
    }

    /// A topic that a connection had asked for is wanted by nobody any more.
    mutating func discount(topicOf subscriber: Subscriber?) {
        guard let subscriber, connections[subscriber.descriptor]?.number == subscriber.number else { return }
        connections[subscriber.descriptor]?.topicCount -= 1
    }
}
