import CaptureModel

/// The endpoint to which a ZeroMQ socket connects: `tcp://HOST:PORT`.
public struct TCPEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    public var port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Whether it is this machine, seen by itself.
    public var isLoopback: Bool { ListenHost.isLoopback(host) }

    /// Parses `tcp://HOST:PORT`, with an IPv6 address in brackets.
    /// - Throws: A description of what is wrong. Port 0 is out of range, because nobody can connect to it.
    public init(parsing text: String) throws(EndpointFault) {
        do {
            let (host, port) = try Self.parts(of: text)
            self.init(host: try Self.host(host), port: try Self.port(port))
        } catch {
            throw EndpointFault("'\(text.excerpt)' is not an endpoint: \(error.description)")
        }
    }

    /// Parses `tcp://HOST:PORT`.
    /// - Returns: nil for anything else, and for port 0.
    public init?(_ text: String) {
        guard let endpoint = try? TCPEndpoint(parsing: text) else { return nil }
        self = endpoint
    }

    /// Returns host and port as written.
    private static func parts(of text: String) throws(EndpointFault) -> (host: Substring, port: Substring) {
        guard text.hasPrefix("tcp://") else { throw EndpointFault("write it as tcp://HOST:PORT") }
        let address = text.dropFirst(6)
        // The colons of an IPv6 address are before its closing bracket.
        let end = address.lastIndex(of: "]") ?? address.startIndex
        guard let colon = address[end...].lastIndex(of: ":") else {
            throw EndpointFault("it names no port; write it as tcp://HOST:PORT")
        }
        return (address[..<colon], address[address.index(after: colon)...])
    }

    private static func host(_ text: Substring) throws(EndpointFault) -> String {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let bare = isBracketed ? String(text.dropFirst().dropLast()) : String(text)
        guard !bare.isEmpty else { throw EndpointFault("it names no host; write it as tcp://HOST:PORT") }
        guard isHost(bare), !isBracketed || bare.contains(":") else {
            throw EndpointFault("'\(bare.excerpt)' is not a host name or address")
        }
        guard isBracketed || !bare.contains(":") else {
            throw EndpointFault("brackets belong around an IPv6 address; write it as tcp://[HOST]:PORT")
        }
        return bare
    }

    private static func port(_ text: Substring) throws(EndpointFault) -> UInt16 {
        guard !text.isEmpty, text.allSatisfy({ "0123456789".contains($0) }) else {
            throw EndpointFault("its port '\(String(text).excerpt)' is not a number; a port is 1 to 65535")
        }
        guard let port = UInt16(text), port > 0 else {
            throw EndpointFault("port \(String(text).excerpt) is out of range; a port is 1 to 65535")
        }
        return port
    }

    /// Returns whether the text can be a host: letters, digits, `.`, `-`, `_`, and `:` and `%` for IPv6.
    static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%")]
                        .contains(byte)
            }
    }

    public var description: String {
        "tcp://\(ListenHost.bracketed(host)):\(port)"
    }
}

/// The host of a configuration that a daemon listens on: a name, an address without brackets, or `*` for all.
public enum ListenHost {
    /// - Returns: The host without the brackets of an IPv6 address; nil if the text cannot be a host.
    public static func parse(_ text: String) -> String? {
        if text == "*" { return text }
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.contains(":")
        let host = isBracketed ? String(text.dropFirst().dropLast()) : text
        return TCPEndpoint.isHost(host) ? host : nil
    }

    /// Whether only programs of the same machine reach this host.
    public static func isLoopback(_ host: String) -> Bool {
        ["localhost", "::1"].contains(host) || host.hasPrefix("127.")
    }

    /// Returns the host in the form used in an endpoint, before the port.
    public static func bracketed(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }
}
