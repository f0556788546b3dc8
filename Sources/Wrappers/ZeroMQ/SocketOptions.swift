internal import CZeroMQ

/// Options of a socket, fixed when it is created.
public struct SocketOptions: Sendable {
    /// The maximum size of a part in bytes. A peer that sends a larger one is disconnected; sending a larger one is refused. With CURVE,
    /// libzmq's limit is higher, since it counts the handshake too, and a message between the two limits is dropped and counted.
    public var maximumMessageSize = 16 * 1024 * 1024
    /// The maximum number of parts of a received message. One with more is dropped and counted. libzmq itself has no such limit.
    public var maximumPartCount = 64
    /// The messages for each peer in libzmq, before this library's queue is used.
    public var sendHighWaterMark = 1_000
    /// The received messages of each peer in libzmq. Beyond it the peer must wait.
    public var receiveHighWaterMark = 1_000
    /// The messages for each peer that wait in this library while libzmq accepts no more.
    public var sendQueueLimit = 1_000
    /// The bytes for each peer that wait in this library while libzmq accepts no more. A single larger message may wait alone.
    public var sendQueueByteLimit = 8 * 1024 * 1024
    /// The action when the send queue is full.
    public var overflowPolicy = OverflowPolicy.refuseNewest
    /// The maximum number of simultaneous connections of a socket that listens on TCP. If there is a further one, the oldest that has not
    /// completed its handshake ends; if all have, the further one. Zero: as many as the process has descriptors.
    public var connectionLimit = 0
    /// The number of messages read from libzmq ahead of `receive()`. Zero if `conflate` is set, so that the newest is received.
    public var receivePrefetch = 8
    /// The maximum time for a connection to become usable, after which it is closed. Zero: unlimited.
    public var handshakeInterval = Duration.seconds(2)
    /// The time of silence after which the system probes the other end of a TCP connection, three times at the same interval. Whole
    /// seconds. Zero: the system's default.
    public var keepAliveInterval = Duration.seconds(1)
    /// The maximum time for which a TCP connection has bytes that the other end's system does not accept, after which it ends. This also
    /// applies if the other end has stopped reading and the buffers are full. Zero: as long as the system retries.
    public var stallLimit = Duration.zero
    /// The receive buffer of a TCP connection in the system, in bytes. Linux uses twice as many. Zero: the system's choice, which may be
    /// megabytes.
    public var receiveBufferByteCount = 0
    /// The maximum time to establish a TCP connection. Zero: the system's default.
    public var connectTimeout = Duration.seconds(5)
    /// The pause before the first attempt to reconnect.
    public var reconnectInterval = Duration.milliseconds(100)
    /// The maximum pause between attempts, up to which the pause doubles. Zero: the pause does not grow.
    public var reconnectIntervalMax = Duration.seconds(5)
    /// Whether messages are given only to established connections. Others wait in the bounded queue of this library.
    public var immediate = true
    /// How long messages in libzmq may outlive `close()`.
    public var linger = Duration.zero
    /// Whether only the newest message is kept. Messages must have one part; for subscribers and dealers.
    public var conflate = false
    /// Authentication of both ends.
    public var security = SocketSecurity.none
    /// The number of the context's I/O thread that serves the socket's connections, from 0. nil: libzmq chooses the least busy one for
    /// each connection.
    public var ioThread: Int?

    public init() {}
}

/// The action of a full send queue when another message is sent.
public enum OverflowPolicy: Sendable, Hashable {
    /// Refuses the new message.
    case refuseNewest
    /// Drops waiting messages, oldest first, until the new one fits.
    case dropOldest
}

extension SocketOptions {
    /// Applies all options to a socket that is neither bound nor connected.
    func apply(to handle: SocketHandle) throws(ZeroMQError) {
        guard maximumMessageSize > 0 else {
            throw ZeroMQError(code: "EINVAL", operation: "set", endpoint: "maximumMessageSize")
        }
        let limit = security.transportLimit(forMessagesOf: maximumMessageSize)
        try handle.set(ZMQ_MAXMSGSIZE, Int64(clamping: limit), named: "maximumMessageSize")
        let numbers: [(Int32, Int32, String)] = [
            (ZMQ_SNDHWM, Int32(clamping: sendHighWaterMark), "sendHighWaterMark"),
            (ZMQ_RCVHWM, Int32(clamping: receiveHighWaterMark), "receiveHighWaterMark"),
            (ZMQ_HANDSHAKE_IVL, Self.milliseconds(handshakeInterval), "handshakeInterval"),
            (ZMQ_TCP_MAXRT, Self.milliseconds(stallLimit), "stallLimit"),
            (ZMQ_CONNECT_TIMEOUT, Self.milliseconds(connectTimeout), "connectTimeout"),
            (ZMQ_RECONNECT_IVL, Self.milliseconds(reconnectInterval), "reconnectInterval"),
            (ZMQ_RECONNECT_IVL_MAX, Self.milliseconds(reconnectIntervalMax), "reconnectIntervalMax"),
            (ZMQ_IMMEDIATE, immediate ? 1 : 0, "immediate"),
            (ZMQ_LINGER, Self.milliseconds(linger), "linger"),
        ]
        for (option, value, name) in numbers { try handle.set(option, value, named: name) }
        try applyKeepAlive(to: handle)
        if receiveBufferByteCount > 0 {
            try handle.set(ZMQ_RCVBUF, Int32(clamping: receiveBufferByteCount), named: "receiveBufferByteCount")
        }
        if let ioThread { try handle.set(ZMQ_AFFINITY, Int64(1) << ioThread, named: "ioThread") }
        try security.apply(to: handle)
        if conflate { try handle.set(ZMQ_CONFLATE, Int32(1), named: "conflate") }
    }

    private func applyKeepAlive(to handle: SocketHandle) throws(ZeroMQError) {
        guard keepAliveInterval > .zero else { return }
        let seconds = Int32(clamping: max(1, keepAliveInterval.components.seconds))
        for (option, value) in [
            (ZMQ_TCP_KEEPALIVE, 1), (ZMQ_TCP_KEEPALIVE_IDLE, seconds), (ZMQ_TCP_KEEPALIVE_INTVL, seconds),
            (ZMQ_TCP_KEEPALIVE_CNT, 3),
        ] { try handle.set(option, value, named: "keepAliveInterval") }
    }

    /// The number of messages to read ahead of `receive()`.
    var prefetchLimit: Int { conflate ? 0 : max(0, receivePrefetch) }

    /// Returns whole milliseconds, rounded up, within the range that libzmq accepts.
    static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 2_000_000 else { return .max }
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(clamping: seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
