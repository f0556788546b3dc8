internal import CZeroMQ

/// The security mechanism of a socket's connections. The mechanism is fixed when the socket is created; the keys may change.
public enum SocketSecurity: Sendable {
    /// Neither encrypted nor authenticated: ZeroMQ's mechanism NULL. For `inproc` and tests.
    case none
    /// The CURVE server role, for a socket that binds or connects. Peers must know the public key, and the context's ``Authenticator``
    /// decides about their keys. Without an authenticator, every peer is refused.
    case server(CurveKeyPair, domain: String)
    /// The CURVE client role. The peer must hold the secret key of `server`.
    case client(CurveKeyPair, server: CurvePublicKey)
}

extension SocketSecurity {
    /// The bytes that CURVE adds to each message: a command's name, a nonce, an authenticator and flags (RFC 26).
    private static let messageOverhead = 33
    /// At least as many bytes as the largest command of CURVE's handshake, INITIATE with an identity of 255 bytes.
    private static let handshakeLimit = 1024

    /// Returns the `ZMQ_MAXMSGSIZE` that admits messages of this size: libzmq compares it with the encrypted message, and with the commands
    /// of the handshake.
    func transportLimit(forMessagesOf byteCount: Int) -> Int {
        if case .none = self { return byteCount }
        return max(byteCount + Self.messageOverhead, Self.handshakeLimit)
    }

    /// Applies the mechanism to what the socket binds and connects from now on.
    func apply(to handle: SocketHandle) throws(ZeroMQError) {
        switch self {
        case .none: break
        case .server(let keys, let domain):
            // With an empty domain, libzmq admits every peer if there is no handler, even with ZMQ_ZAP_ENFORCE_DOMAIN.
            guard (1...255).contains(domain.utf8.count) else {
                throw ZeroMQError(code: "EINVAL", operation: "set", endpoint: "domain")
            }
            try handle.set(ZMQ_CURVE_SERVER, Int32(1), named: "security")
            try handle.set(ZMQ_CURVE_SECRETKEY, keys.secretKey.bytes, operation: "set the secret key")
            try handle.set(ZMQ_ZAP_DOMAIN, Array(domain.utf8), operation: "set the domain")
            // Without it, libzmq admits every key if no handler is bound.
            try handle.set(czmq_zap_enforce_domain, Int32(1), named: "domain")
            handle.isAuthenticated = true
        case .client(let keys, let server):
            try handle.set(ZMQ_CURVE_SERVERKEY, server.bytes, operation: "set the server's key")
            try handle.set(ZMQ_CURVE_PUBLICKEY, keys.publicKey.bytes, operation: "set the public key")
            try handle.set(ZMQ_CURVE_SECRETKEY, keys.secretKey.bytes, operation: "set the secret key")
        }
    }
}
