internal import CPosix

/// The addresses of this machine, as other machines see them.
public enum ReachableAddress {
    /// The first address, in numbers, of a network interface that is up: IPv4 before IPv6, none of loopback and none that
    /// means a link only. nil where there is none. Does not wait.
    public static func ofThisMachine() -> String? {
        var text = [CChar](repeating: 0, count: HostAddresses.textSize)
        guard unsafe caprig_reachable_address(&text, text.count) else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
