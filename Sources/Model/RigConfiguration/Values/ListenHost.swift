/// The host of a configuration that a daemon listens on: a name, an address without brackets, or `*` for all.
public enum ListenHost {
    /// - Returns: The host, without the brackets that an IPv6 address may stand in; nil for text that can be none.
    public static func parse(_ text: String) -> String? {
        if text == "*" { return text }
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.contains(":")
        let host = isBracketed ? String(text.dropFirst().dropLast()) : text
        return TCPEndpoint.isHost(host) ? host : nil
    }

    /// The host as it stands in an endpoint, before the port.
    public static func bracketed(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }
}
