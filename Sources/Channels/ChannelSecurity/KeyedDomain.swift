public import RigAccess
public import RigSecurity
public import ZeroMQ

/// The ZAP domain of a listener: its channel, and the server key that it proves. A connection tells by it which key of the server its peer knows,
/// since a socket may listen with two.
struct KeyedDomain: Hashable, Sendable {
    let domain: AccessDomain
    let server: PublicKey

    init(_ domain: AccessDomain, _ server: PublicKey) {
        self.domain = domain
        self.server = server
    }

    /// Reads the form that ``text`` writes.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let domain = AccessDomain(rawValue: String(words[0])),
            let server = PublicKey(base64: String(words[1]))
        else { return nil }
        self.init(domain, server)
    }

    /// The channel's name, a space, and the key in base64.
    var text: String { "\(domain.rawValue) \(server.base64)" }
}

/// A connection that was admitted.
public struct AdmittedConnection: Hashable, Sendable {
    public let domain: AccessDomain
    /// The peer's key.
    public let key: PublicKey
    /// The key of the server that the peer knows.
    public let server: PublicKey
}

extension SocketSecurity {
    /// The server's end of a channel, whose connections a ``ConnectionGate`` decides.
    public static func channel(_ domain: AccessDomain, _ keys: CurveKeyPair) -> SocketSecurity {
        .server(keys, domain: PublicKey(keys.publicKey).map { KeyedDomain(domain, $0).text } ?? domain.rawValue)
    }
}
