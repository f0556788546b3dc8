internal import CZeroMQ

/// An event of a socket's connection. `inproc` connections have no events.
public struct ConnectionEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A TCP or ipc connection was established. The handshake follows.
        case connected
        /// The connection could not be established at once. The attempt continues.
        case connectDelayed
        /// The next attempt to connect follows after this pause.
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
        /// The connection ended, or took too long, before it was usable.
        case handshakeFailed(code: String)
        /// The peer violated ZeroMQ's protocol. The value is libzmq's `ZMQ_PROTOCOL_ERROR_…`.
        case handshakeProtocolError(UInt32)
        /// The peer was refused. The value is the status of the authentication protocol (ZAP).
        case authenticationFailed(status: UInt32)
    }

    public let kind: Kind
    /// The socket's own address, or the address that it connects to.
    public let endpoint: String

    public init(kind: Kind, endpoint: String) {
        self.kind = kind
        self.endpoint = endpoint
    }
}

extension ConnectionEvent.Kind {
    /// Reads the numbers of a monitor's message; nil for events that users do not need.
    init?(event: Int32, value: UInt32) {
        let code = ZeroMQError.name(of: Int32(truncatingIfNeeded: value))
        switch event {
        case ZMQ_EVENT_CONNECTED: self = .connected
        case ZMQ_EVENT_CONNECT_DELAYED: self = .connectDelayed
        case ZMQ_EVENT_CONNECT_RETRIED: self = .connectRetried(after: .milliseconds(Int64(value)))
        case ZMQ_EVENT_LISTENING: self = .listening
        case ZMQ_EVENT_BIND_FAILED: self = .bindFailed(code: code)
        case ZMQ_EVENT_ACCEPTED: self = .accepted
        case ZMQ_EVENT_ACCEPT_FAILED: self = .acceptFailed(code: code)
        case ZMQ_EVENT_CLOSED: self = .closed
        case ZMQ_EVENT_CLOSE_FAILED: self = .closeFailed(code: code)
        case ZMQ_EVENT_DISCONNECTED: self = .disconnected
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: self = .handshakeSucceeded
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: self = .handshakeFailed(code: code)
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: self = .handshakeProtocolError(value)
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: self = .authenticationFailed(status: value)
        default: return nil
        }
    }
}
