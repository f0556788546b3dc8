/// Where a daemon may listen: without keys on connections, only where no other machine can reach it.
public enum ListenPolicy {
    /// - Parameters:
    ///   - host: What the user has written.
    ///   - address: What a socket is to be bound to: an address in numbers, without brackets.
    ///   - consequence: What any machine could do, as the end of a sentence.
    /// - Throws: ``ExposedAddress`` for an address beyond this machine without `insecure`.
    public static func check(
        host: String, address: String, insecure: Bool, consequence: String = "trigger and read this rig"
    ) throws(ExposedAddress) {
        guard insecure || isLoopback(address) else { throw ExposedAddress(host: host, consequence: consequence) }
    }

    /// 127.0.0.0/8 and `::1`; a name or any other text counts as exposed.
    static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let bytes = address.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes[0] == "127" && bytes.allSatisfy { UInt8($0) != nil }
    }
}

/// An address that other machines can reach, asked for without `--insecure`.
public struct ExposedAddress: Error, Hashable, CustomStringConvertible {
    public var host: String
    /// What any machine could do.
    public var consequence: String

    public var description: String {
        "listening on '\(host)' lets any machine on the network \(consequence), since connections carry no "
            + "keys; listen on 127.0.0.1, or say --insecure on a network you trust"
    }
}
