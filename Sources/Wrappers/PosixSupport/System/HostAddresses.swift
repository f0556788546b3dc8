internal import CPosix
internal import Glibc

/// Names and addresses of a host.
public enum HostAddresses {
    /// NI_MAXHOST: the size of the longest text of one address, including its terminator.
    static let textSize = 1025
    /// The size in bytes of the list of addresses. Further addresses of a name are left out.
    private static let listSize = 16 * 1024

    /// Returns the numeric addresses of a host name, or of an address in any notation. Queries name servers and waits for them.
    /// - Returns: The addresses in the system's order, without repetition; never empty.
    /// - Throws: ``UnknownHost`` if the host has none.
    public static func of(_ host: String) throws(UnknownHost) -> [String] {
        var text = [CChar](repeating: 0, count: listSize)
        let code = unsafe caprig_host_addresses(host, &text, text.count)
        guard code == 0 else {
            let words = unsafe caprig_host_error_text(code).map { unsafe String(cString: $0) }
            throw UnknownHost(host: host, reason: words ?? "code \(code)")
        }
        var addresses: [String] = []
        let list = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        for address in list.split(separator: "\n").map(String.init) where !addresses.contains(address) {
            addresses.append(address)
        }
        return addresses
    }

    /// Returns whether a numeric address is one of this machine, so that a socket can be bound to it.
    public static func isOwn(_ address: String) -> Bool {
        unsafe caprig_is_own_address(address)
    }

    /// Returns whether this is the name of a network interface of this machine.
    public static func isInterface(_ name: String) -> Bool {
        unsafe caprig_is_interface(name)
    }
}

/// Looks a host up with the system's resolver.
public enum HostLookup {
    /// Blocks until the name servers answer, so call it on a separate thread.
    /// - Parameter host: A name or an address.
    /// - Returns: Why it has no address, in the system's words; nil if it has one.
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

/// The addresses of this machine, as other machines see them.
public enum ReachableAddress {
    /// Returns the first numeric address of a network interface that is up: IPv4 before IPv6, without loopback and link-local addresses.
    /// nil if there is none. Does not wait.
    public static func ofThisMachine() -> String? {
        var text = [CChar](repeating: 0, count: HostAddresses.textSize)
        guard unsafe caprig_reachable_address(&text, text.count) else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
