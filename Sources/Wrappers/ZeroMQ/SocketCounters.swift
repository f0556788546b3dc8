/// What a socket has done since it was made; every message given to it or by it is in one of these.
public struct SocketCounters: Sendable, Hashable {
    /// Messages handed to libzmq, and their bytes.
    public var sent = 0
    public var sentBytes = 0
    /// Messages that had to wait in this library's queue first.
    public var queued = 0
    /// Messages and bytes waiting at this moment.
    public var waiting = 0
    public var waitingBytes = 0
    /// Messages refused at `send`, by reason.
    public var refused: [SendRefusal: Int] = [:]
    /// Waiting messages dropped for newer ones.
    public var droppedOldest = 0
    /// Waiting messages discarded because their peer had gone.
    public var discardedForVanishedPeers = 0
    /// Waiting messages discarded because the socket was closed.
    public var discardedAtClose = 0
    /// Answers of an inline responder that could not go at once.
    public var droppedReplies = 0
    /// Messages taken from libzmq, and their bytes.
    public var received = 0
    public var receivedBytes = 0
    /// Received messages dropped because they had too many parts.
    public var droppedForPartCount = 0
    /// Connections that became usable, and connections that ended. Not for `inproc`.
    public var connects = 0
    public var disconnects = 0
    /// Connections that were accepted and have not ended, and those that were one too many. For sockets that only listen.
    public var acceptedConnections = 0
    public var refusedConnections = 0
    /// Attempts to connect again after a failure.
    public var connectRetries = 0
    /// Connections that failed before they became usable.
    public var handshakeFailures = HandshakeFailureCounters()
    /// Publisher: subscriptions not honoured, by reason, and messages that are no subscription.
    public var rejectedTopics = 0
    public var unexpectedMessages = 0
    /// Publisher: connections ended because they had asked for more than 256 topics.
    public var endedSubscribers = 0

    public init() {}

    /// Connections that this end refused or ended, by cause; causes that were none are not in it. Who merely leaves before
    /// the handshake, as a port scanner does, is not counted here.
    public var connectionRefusals: [ConnectionRefusal: Int] {
        [
            .connectionLimit: refusedConnections, .topicLimit: endedSubscribers,
            .protocolError: handshakeFailures.protocolError, .authentication: handshakeFailures.authentication,
        ].filter { $0.value > 0 }
    }
}

/// Why an end refuses or ends a connection.
public enum ConnectionRefusal: String, Sendable, Hashable, CaseIterable {
    /// There were `connectionLimit` already.
    case connectionLimit
    /// It had asked for more than 256 topics.
    case topicLimit
    /// It did not speak ZeroMQ's protocol, or another security mechanism.
    case protocolError
    /// It was not allowed in.
    case authentication
}

/// Connections that failed before they became usable, by kind.
public struct HandshakeFailureCounters: Sendable, Hashable {
    /// The connection ended, or took longer than `handshakeInterval`.
    public var noDetail = 0
    /// The peer did not speak ZeroMQ's protocol, or another security mechanism.
    public var protocolError = 0
    /// The peer was not allowed in.
    public var authentication = 0

    /// All kinds together.
    public var total: Int { noDetail + protocolError + authentication }

    public init() {}
}
