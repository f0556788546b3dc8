/// Counters of a socket from its creation. Every message that it receives or is given to send is counted.
public struct SocketCounters: Sendable, Hashable {
    /// Messages passed to libzmq, and their bytes.
    public var sent = 0
    public var sentBytes = 0
    /// Messages that first waited in this library's queue.
    public var queued = 0
    /// Messages and bytes waiting at this moment.
    public var waiting = 0
    public var waitingBytes = 0
    /// Messages refused at `send`, by reason.
    public var refused: [SendRefusal: Int] = [:]
    /// Waiting messages dropped for newer ones.
    public var droppedOldest = 0
    /// Waiting messages discarded because their peer disconnected.
    public var discardedForVanishedPeers = 0
    /// Waiting messages discarded because the socket was closed.
    public var discardedAtClose = 0
    /// Replies of an inline responder that could not be sent at once.
    public var droppedReplies = 0
    /// Messages received from libzmq, and their bytes.
    public var received = 0
    public var receivedBytes = 0
    /// Received messages dropped because they had too many parts.
    public var droppedForPartCount = 0
    /// Received messages dropped because a part was larger than `SocketOptions.maximumMessageSize`.
    public var droppedForSize = 0
    /// Connections that became usable, and connections that ended. Not for `inproc`.
    public var connects = 0
    public var disconnects = 0
    /// Accepted connections that have not ended, and connections refused because of the limit. Only for sockets that do not connect.
    public var acceptedConnections = 0
    public var refusedConnections = 0
    /// Attempts to connect again after a failure.
    public var connectRetries = 0
    /// Connections that failed before they became usable.
    public var handshakeFailures = HandshakeFailureCounters()
    /// Publisher: rejected subscriptions, and messages that are not subscriptions.
    public var rejectedTopics = 0
    public var unexpectedMessages = 0
    /// Publisher: connections ended because they requested more than 256 topics.
    public var endedSubscribers = 0

    public init() {}

    /// Connections that this end refused or ended, by cause, without causes that did not occur. Peers that disconnect before the handshake,
    /// such as port scanners, are not counted.
    public var connectionRefusals: [ConnectionRefusal: Int] {
        [
            .connectionLimit: refusedConnections, .topicLimit: endedSubscribers,
            .protocolError: handshakeFailures.protocolError, .authentication: handshakeFailures.authentication,
        ].filter { $0.value > 0 }
    }
}

/// Why this end refused or ended a connection.
public enum ConnectionRefusal: String, Sendable, Hashable, CaseIterable {
    /// The limit `connectionLimit` was reached.
    case connectionLimit
    /// The peer requested more than 256 topics.
    case topicLimit
    /// The peer did not use ZeroMQ's protocol, or used another security mechanism.
    case protocolError
    /// The peer was not authorized.
    case authentication
}

/// Connections that failed before they became usable, by cause.
public struct HandshakeFailureCounters: Sendable, Hashable {
    /// The connection ended, or the handshake took longer than `handshakeInterval`.
    public var noDetail = 0
    /// The peer did not use ZeroMQ's protocol, or used another security mechanism.
    public var protocolError = 0
    /// The peer was not authorized.
    public var authentication = 0

    /// The sum of all causes.
    public var total: Int { noDetail + protocolError + authentication }

    public init() {}
}

extension SocketCounters {
    mutating func count(_ kind: ConnectionEvent.Kind) {
        switch kind {
        case .handshakeSucceeded: connects += 1
        case .disconnected: disconnects += 1
        case .connectRetried: connectRetries += 1
        case .handshakeFailed: handshakeFailures.noDetail += 1
        case .handshakeProtocolError: handshakeFailures.protocolError += 1
        case .authenticationFailed: handshakeFailures.authentication += 1
        default: break
        }
    }

    mutating func refuse(_ reason: SendRefusal) -> SendOutcome {
        refused[reason, default: 0] += 1
        return .refused(reason)
    }
}

/// The outcome of sending a message.
public enum SendOutcome: Sendable, Equatable {
    /// libzmq accepted the message. This does not prove delivery; only an answer of the peer does.
    case sent
    /// The message waits in the socket's own queue until the peer accepts more.
    case queued
    /// The message was dropped here, and counted.
    case refused(SendRefusal)
}

/// Why a message was not accepted.
public enum SendRefusal: Sendable, Hashable, CaseIterable {
    /// The queue has reached its limit of messages or bytes, or the message must not be queued and cannot be sent at once.
    case queueFull
    /// The router has no connection with this id.
    case unknownPeer
    /// The socket, its executor or its context has been closed.
    case closed
    /// A part is larger than `SocketOptions.maximumMessageSize`. The peer would close the connection.
    case tooLarge
    /// The published message does not have exactly one part.
    case notSinglePart
}

/// A change of a topic: its first subscriber subscribed, or its last one unsubscribed.
public struct SubscriptionChange: Sendable, Hashable {
    /// The prefix subscribed to. An empty prefix matches every message.
    public let topic: [UInt8]
    public let isSubscribed: Bool

    public init(topic: [UInt8], isSubscribed: Bool) {
        self.topic = topic
        self.isSubscribed = isSubscribed
    }
}
