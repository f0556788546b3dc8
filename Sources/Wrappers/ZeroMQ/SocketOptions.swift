/// How a socket behaves; fixed when it is made.
public struct SocketOptions: Sendable, Hashable {
    /// Largest part, in bytes. A peer that sends a larger one is disconnected; sending a larger one is refused.
    public var maximumMessageSize = 16 * 1024 * 1024
    /// Most parts in a received message; one with more is dropped and counted. libzmq itself has no such limit.
    public var maximumPartCount = 64
    /// Messages for each peer inside libzmq, before this library's queue begins.
    public var sendHighWaterMark = 1_000
    /// Received messages of each peer inside libzmq; then the peer must wait.
    public var receiveHighWaterMark = 1_000
    /// Messages for each peer that wait here while libzmq takes no more.
    public var sendQueueLimit = 1_000
    /// Bytes for each peer that wait here while libzmq takes no more; a larger message waits alone.
    public var sendQueueByteLimit = 8 * 1024 * 1024
    /// What happens when the send queue is full.
    public var overflowPolicy = OverflowPolicy.refuseNewest
    /// Connections that a socket that listens on TCP keeps at a time; a further one is ended, in general before its handshake.
    /// Zero: as many as the process has descriptors.
    public var connectionLimit = 0
    /// Messages taken from libzmq ahead of `receive()`. Zero when `conflate` is set, so that the newest is received.
    public var receivePrefetch = 8
    /// Longest time for a connection to become usable; then it is closed. Zero: unlimited.
    public var handshakeInterval = Duration.seconds(2)
    /// Silence after which the system asks whether the other end of a TCP connection is still there, three times, as far apart.
    /// Whole seconds. Zero: what the system does by itself.
    public var keepAliveInterval = Duration.seconds(1)
    /// How long a TCP connection may have bytes that the other end's system does not take; then it ends. So it does where the
    /// other end has stopped reading and the buffers between are full. Zero: as long as the system goes on trying.
    public var stallLimit = Duration.zero
    /// Bytes that the system keeps of a TCP connection until they are read; Linux takes twice as many. Zero: the system's choice,
    /// which may be megabytes.
    public var receiveBufferByteCount = 0
    /// Longest time for a TCP connection to be made. Zero: the system's.
    public var connectTimeout = Duration.seconds(5)
    /// Pause before the first attempt to connect again.
    public var reconnectInterval = Duration.milliseconds(100)
    /// Longest pause between attempts; they double up to it. Zero: the pause stays the same.
    public var reconnectIntervalMax = Duration.seconds(5)
    /// Gives messages only to connections that are complete; others wait in the bounded queue of this library.
    public var immediate = true
    /// How long messages that libzmq has may outlive `close()`.
    public var linger = Duration.zero
    /// Keeps only the newest message. Messages must have one part; for subscribers and dealers.
    public var conflate = false

    public init() {}
}
