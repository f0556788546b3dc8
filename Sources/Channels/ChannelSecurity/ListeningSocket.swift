public import RigAccess
public import ZeroMQ

extension RouterSocket: Listener {}

extension PublisherSocket: Listener {}

/// A channel's socket, and where it listens.
public struct ListeningSocket: Sendable {
    public let domain: AccessDomain
    /// With the port that the system chose.
    public let endpoint: String
    let socket: any Listener

    public init(_ domain: AccessDomain, _ endpoint: String, _ socket: any Listener) {
        self.domain = domain
        self.endpoint = endpoint
        self.socket = socket
    }
}
