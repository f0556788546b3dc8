/// Where a ZeroMQ socket connects to: `tcp://HOST:PORT`.
public struct TCPEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    public var port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `tcp://HOST:PORT`, with an IPv6 address in brackets.
    /// - Returns: nil for anything else, and for port 0, to which nobody can connect.
    public init?(_ text: String) {
        guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        let start = text.index(text.startIndex, offsetBy: 6)
        guard start < colon, digits.allSatisfy({ "0123456789".contains($0) }), let port = UInt16(digits), port > 0
        else {
            return nil
        }
        let host = text[start..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
        guard isBracketed == bare.contains(":"), Self.isHost(bare) else { return nil }
        self.init(host: bare, port: port)
    }

    /// Whether the text can be a host: letters, digits, `.`, `-`, `_`, and `:` and `%` for IPv6.
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
