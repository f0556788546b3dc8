internal import DequeModule

/// The accepted connections of a listening socket, and which of them ends where there are more than a limit. Strangers that only connect must not keep
/// peers out, and strangers that come in numbers must not end the connections of peers.
///
/// | connections | at one more than the limit |
/// |---|---|
/// | some have not completed the handshake | the oldest of these ends |
/// | all are usable | the further one ends |
///
/// A peer completes its handshake in milliseconds, so it would be the oldest only if as many strangers as there are places came during that time. libzmq ends
/// a connection whose handshake takes longer than `SocketOptions.handshakeInterval`.
struct AcceptedConnections {
    private struct Connection {
        let number: UInt64
        let port: UInt16
        var isUsable = false
    }

    let limit: Int
    /// Whether libzmq tells which connection has become usable. Otherwise the further one ends.
    let tellsUsable: Bool
    private var connections: [Int32: Connection] = [:]
    /// Connections in the order of their acceptance, among them some that have ended or become usable; empty if libzmq does not tell which have.
    private(set) var order: Deque<(descriptor: Int32, number: UInt64)> = []
    private var last: UInt64 = 0

    /// - Parameter limit: 0 for none.
    init(limit: Int, tellsUsable: Bool) {
        (self.limit, self.tellsUsable) = (limit, tellsUsable)
    }

    var count: Int { connections.count }

    /// - Returns: The descriptor of the connection to end, if there are more than the limit.
    mutating func accepted(_ descriptor: Int32, port: UInt16) -> (descriptor: Int32, port: UInt16)? {
        last += 1
        connections[descriptor] = Connection(number: last, port: port)
        guard limit > 0 else { return nil }
        let isSurplus = connections.count > limit
        guard tellsUsable else { return isSurplus ? (descriptor, port) : nil }
        order.append((descriptor, last))
        forgetOthers()
        return isSurplus ? oldestUnusable() ?? (descriptor, port) : nil
    }

    mutating func becameUsable(_ descriptor: Int32) {
        connections[descriptor]?.isUsable = true
    }

    mutating func ended(_ descriptor: Int32) {
        connections[descriptor] = nil
    }

    /// Notes that a listener was closed, which ends its connections without a notice of libzmq.
    mutating func ended(at port: UInt16) {
        connections = connections.filter { $0.value.port != port }
    }

    /// Removes the first connection that still waits for its handshake from the order, so that it is ended once.
    private mutating func oldestUnusable() -> (descriptor: Int32, port: UInt16)? {
        guard let (descriptor, _) = order.popFirst(), let connection = connections[descriptor] else { return nil }
        return (descriptor, connection.port)
    }

    /// Removes those that have ended or become usable from the beginning of the order. What stays there ends within the handshake interval.
    private mutating func forgetOthers() {
        while let (descriptor, number) = order.first {
            if let connection = connections[descriptor], connection.number == number, !connection.isUsable { return }
            order.removeFirst()
        }
    }
}
