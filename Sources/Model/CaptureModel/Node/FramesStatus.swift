/// The frames channel of one agent: where it is, and what it has done.
public struct FramesStatus: Hashable, Codable, Sendable {
    /// Host name or address, as other machines reach it; an IPv6 address without brackets.
    public var host: String
    public var port: UInt16
    /// Topics somebody is subscribed to.
    public var watched: Int
    /// Messages published and their bytes, since the agent's start.
    public var published: UInt64
    public var publishedBytes: UInt64
    /// Pictures made smaller, since the agent's start.
    public var scaled: UInt64
    /// Connections of viewers that were refused or ended, since the agent's start.
    public var refusedConnections: UInt64

    public init(
        host: String, port: UInt16, watched: Int = 0, published: UInt64 = 0, publishedBytes: UInt64 = 0,
        scaled: UInt64 = 0, refusedConnections: UInt64 = 0
    ) {
        self.host = host
        self.port = port
        self.watched = watched
        self.published = published
        self.publishedBytes = publishedBytes
        self.scaled = scaled
        self.refusedConnections = refusedConnections
    }

    /// What a viewer connects to.
    public var endpoint: String { host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)" }
}
