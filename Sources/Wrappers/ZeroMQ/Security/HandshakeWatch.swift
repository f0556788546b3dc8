/// Finds in the events of a connecting socket with CURVE why its connections do not become usable. libzmq itself reports it to nobody, and a
/// socket whose key was refused does not try again.
public struct HandshakeWatch: Hashable, Sendable {
    public enum Finding: Hashable, Sendable {
        /// The peer does not admit the socket's key.
        case keyRefused
        /// The peer ends connections before it has proved its key: it has another one, or it accepts no further connection.
        case endedEarly
    }

    /// nil before the first attempt has failed, and while the connection is usable.
    public private(set) var finding: Finding?
    /// How many connections in a row have ended before the peer proved its key. A peer with another key ends each at once; a busy one does so
    /// when the handshake has taken too long, and may complete the next.
    public private(set) var earlyEnds = 0
    private var isPending = false

    /// How many connections an endpoint ends early until that is what it does with all of them.
    private static let earlyEndLimit = 3

    /// The finding, once no further attempt is expected to change it; else nil.
    public var verdict: Finding? {
        finding == .endedEarly && earlyEnds < Self.earlyEndLimit ? nil : finding
    }

    public init() {}

    /// - Returns: Whether the finding has changed.
    @discardableResult
    public mutating func note(_ event: ConnectionEvent) -> Bool {
        let before = finding
        switch event.kind {
        case .connected: isPending = true
        case .handshakeSucceeded: (isPending, finding, earlyEnds) = (false, nil, 0)
        case .authenticationFailed: (isPending, finding) = (false, .keyRefused)
        case .handshakeFailed, .handshakeProtocolError, .disconnected:
            if isPending { (isPending, finding, earlyEnds) = (false, .endedEarly, earlyEnds + 1) }
        default: break
        }
        return finding != before
    }
}
