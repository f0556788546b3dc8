/// A host that has no address as far as this machine knows.
public struct UnresolvedHost: Error, Hashable, CustomStringConvertible {
    public var host: String
    public var endpoint: String
    /// The system's message.
    public var reason: String

    public var description: String {
        "the host '\(host)' of \(endpoint) cannot be resolved: \(reason); write a name that this machine resolves "
            + "(`getent hosts \(host)`), or an address"
    }
}
