internal import NIOCore
public import RigSecurity

/// How browsers and scripts reach a gateway. Plain HTTP must not cross a network that others can read.
public enum GatewayTransport: Hashable, Sendable {
    /// Plain HTTP, for this machine only. Browsers may use TLS with a reverse proxy on it, which ``isBehindTLS`` says.
    case loopback(isBehindTLS: Bool)
    /// Plain HTTP for the reverse proxies of these addresses and for this machine. Browsers reach the proxies over TLS.
    case proxies(Set<IPAddress>)
    /// TLS by the gateway itself.
    case tls(CertificatePlace)

    /// Whether browsers reach the gateway over TLS.
    var isSecure: Bool {
        switch self {
        case .loopback(let isBehindTLS): isBehindTLS
        case .proxies, .tls: true
        }
    }

    /// - Throws: ``MissingTLS`` if a gateway of this build cannot speak so.
    public func checkAvailability() throws(MissingTLS) {
        #if !TLS
        if case .tls = self { throw MissingTLS() }
        #endif
    }

    /// The scheme of the gateway's own port.
    var scheme: String {
        if case .tls = self { "https" } else { "http" }
    }

    /// Whether a connection from this address is served.
    func admits(_ address: SocketAddress?) -> Bool {
        guard case .proxies = self else { return true }
        return source(of: address) == .trusted
    }

    /// Who makes a connection from this address.
    func source(of address: SocketAddress?) -> ConnectionTable.Source {
        let peer = address?.ipAddress.flatMap(IPAddress.init)?.unmapped
        return ConnectionTable.Source(peer, isTrusted: peer.map(trusts) ?? false)
    }

    /// Whether connections from this address may be those of many people.
    private func trusts(_ peer: IPAddress) -> Bool {
        if case .proxies(let proxies) = self, proxies.contains(peer) { return true }
        return peer.isLoopback
    }
}

/// Where the certificate of a gateway is.
public enum CertificatePlace: Hashable, Sendable {
    /// One that the gateway makes itself, in a folder of its own.
    case own(folder: String)
    /// PEM files, such as those of an ACME client: the certificate with its chain, and the private key.
    case files(certificate: String, privateKey: String)
}
