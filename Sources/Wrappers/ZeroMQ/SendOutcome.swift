/// What became of a message given to a socket.
public enum SendOutcome: Sendable, Equatable {
    /// libzmq has it. That is no proof of delivery: only an answer of the peer is.
    case sent
    /// It waits in the socket's own queue and is sent when the peer takes more.
    case queued
    /// It was dropped here, and counted.
    case refused(SendRefusal)
}

/// Why a message was not accepted.
public enum SendRefusal: Sendable, Hashable, CaseIterable {
    /// The queue has reached its limit of messages or bytes, or the message may not be queued and cannot go at once.
    case queueFull
    /// The router has no connection with this id.
    case unknownPeer
    /// The socket, its executor or its context has been closed.
    case closed
    /// A part is larger than `SocketOptions.maximumMessageSize`, which makes the peer drop the connection.
    case tooLarge
    /// A published message must have exactly one part.
    case notSinglePart
}
