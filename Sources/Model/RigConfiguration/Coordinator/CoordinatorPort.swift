/// A channel that the coordinator binds; the number is the offset of its TCP port from the base port. With base port 0, which takes any
/// free ports, the offsets do not hold.
public enum CoordinatorPort: UInt16, Sendable {
    case control, clock, collect, client, feed, join

    /// The port unless a configuration says otherwise.
    public var standard: UInt16 { CoordinatorConfiguration.Listen().basePort + rawValue }
}

extension TCPEndpoint {
    /// Returns where another channel of the same coordinator is.
    /// - Parameter own: The channel at this endpoint.
    /// - Returns: nil if that is not a port.
    public func channel(_ wanted: CoordinatorPort, from own: CoordinatorPort) -> TCPEndpoint? {
        UInt16(exactly: Int(port) - Int(own.rawValue) + Int(wanted.rawValue)).map { TCPEndpoint(host: host, port: $0) }
    }
}
