internal import Glibc

/// Asks the system's resolver for a host.
public enum HostLookup {
    /// Blocks for as long as the name servers take: call it from a thread of one's own.
    /// - Parameter host: A name or an address.
    /// - Returns: Why it has no address, in the system's words; nil where it has one.
    public static func obstacle(_ host: String) -> String? {
        var found: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, nil, nil, &found)
        guard code != 0 else {
            unsafe freeaddrinfo(found)
            return nil
        }
        return unsafe String(cString: gai_strerror(code))
    }
}
