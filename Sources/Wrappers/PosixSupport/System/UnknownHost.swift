internal import CPosix
internal import Glibc

/// A host name without an address.
public struct UnknownHost: Error, Hashable, CustomStringConvertible {
    public var host: String
    /// The system's text.
    public var reason: String

    public var description: String { "'\(host)' has no address: \(reason)" }
}
