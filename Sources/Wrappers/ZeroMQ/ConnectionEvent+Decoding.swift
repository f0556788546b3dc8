internal import CZeroMQ

extension ConnectionEvent.Kind {
    /// Reads the numbers of a monitor's message; nil for what users need not know.
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

extension SocketCounters {
    mutating func count(_ kind: ConnectionEvent.Kind) {
        switch kind {
        case .handshakeSucceeded: connects += 1
        case .accepted: acceptedConnections += 1
        case .disconnected:
            disconnects += 1
            acceptedConnections = max(0, acceptedConnections - 1)
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
