internal import CPosix

/// What a host is called and what its addresses are.
public enum HostAddresses {
    /// NI_MAXHOST: the longest text of one address, with its end.
    static let textSize = 1025
    /// More addresses of a name than that are left out, in bytes.
    private static let listSize = 16 * 1024

    /// The addresses, in numbers, of a host name, or of an address however it is written. Asks name servers and waits for
    /// them.
    /// - Returns: As the system sorts them, without repetition; never none.
    /// - Throws: ``UnknownHost`` where it has none.
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

    /// Whether an address in numbers is one of this machine, so that a socket can be bound to it.
    public static func isOwn(_ address: String) -> Bool {
        unsafe caprig_is_own_address(address)
    }

    /// Whether this is the name of a network interface of this machine.
    public static func isInterface(_ name: String) -> Bool {
        unsafe caprig_is_interface(name)
    }
}

/// A host name without an address.
public struct UnknownHost: Error, Hashable, CustomStringConvertible {
    public var host: String
    /// The system's words.
    public var reason: String

    public var description: String { "'\(host)' has no address: \(reason)" }
}
