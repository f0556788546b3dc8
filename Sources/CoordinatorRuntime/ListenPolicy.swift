/// Where a coordinator may listen: without keys on connections, only where no other machine can reach it.
public enum ListenPolicy {
    /// - Throws: ``ExposedAddress`` for an address beyond this machine without `insecure`.
    public static func check(host: String, insecure: Bool) throws(ExposedAddress) {
        guard insecure || isLoopback(host) else { throw ExposedAddress(host: host) }
    }

    /// 127.0.0.0/8, `::1` and `localhost`; an interface name or any other text counts as exposed.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes[0] == "127" && bytes.allSatisfy { UInt8($0) != nil }
    }
}

/// An address that other machines can reach, asked for without `--insecure`.
public struct ExposedAddress: Error, Hashable, CustomStringConvertible {
    public var host: String

    public var description: String {
        "listening on '\(host)' lets any machine on the network trigger and read this rig, since connections carry no "
            + "keys; listen on 127.0.0.1, or say --insecure on a network you trust"
    }
}
