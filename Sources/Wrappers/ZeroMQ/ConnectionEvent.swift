/// Something that happened to a connection of a socket. `inproc` connections have no events.
public struct ConnectionEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A TCP or ipc connection was made; the handshake follows.
        case connected
        /// The connection could not be made at once and is being tried.
        case connectDelayed
        /// The next attempt to connect comes after this pause.
        case connectRetried(after: Duration)
        case listening
        case bindFailed(code: String)
        case accepted
        case acceptFailed(code: String)
        case closed
        case closeFailed(code: String)
        case disconnected
        /// The connection is usable.
        case handshakeSucceeded
        /// The connection ended or took too long before it was usable.
        case handshakeFailed(code: String)
        /// The peer broke ZeroMQ's protocol; the value is libzmq's `ZMQ_PROTOCOL_ERROR_…`.
        case handshakeProtocolError(UInt32)
        /// The peer was refused; the value is the status of the authentication protocol (ZAP).
        case authenticationFailed(status: UInt32)
    }

    public let kind: Kind
    /// The socket's own address, or the one it connects to.
    public let endpoint: String

    public init(kind: Kind, endpoint: String) {
        self.kind = kind
        self.endpoint = endpoint
    }
}
