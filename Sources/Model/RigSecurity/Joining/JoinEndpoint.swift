public import CaptureModel

/// Where the join socket of a coordinator accepts connections, written `HOST:PORT`, with an IPv6 address in brackets.
public struct JoinEndpoint: Hashable, Sendable {
    public let host: JoinHost
    /// Never 0, to which nobody can connect.
    public let port: UInt16

    /// - Throws: `badEndpoint`.
    public init(host: JoinHost, port: UInt16) throws(SecurityError) {
        guard port > 0 else { throw Self.fault("\(host)", "a port is 1 to 65535") }
        if case .address(let address) = host, address.isUnspecified {
            throw Self.fault("\(host)", "it stands for all addresses of a machine; write one of them")
        }
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`, with an IPv6 address in brackets.
    /// - Throws: `badEndpoint`.
    public init(_ text: String) throws(SecurityError) {
        let end = text.lastIndex(of: "]") ?? text.startIndex
        guard let colon = text[end...].lastIndex(of: ":") else {
            throw Self.fault(text, "it names no port; write it as HOST:PORT")
        }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits)
        else { throw Self.fault(text, "a port is 1 to 65535") }
        try self.init(host: Self.host(text[..<colon], of: text), port: port)
    }

    /// Parses `HOST` or `HOST:PORT`, as people write it. An IPv6 address needs brackets only before a port.
    /// - Throws: `badEndpoint`.
    public init(_ text: String, defaultPort: UInt16) throws(SecurityError) {
        if let address = IPAddress(text) {
            try self.init(host: .address(address), port: defaultPort)
        } else if text.contains(":"), !text.hasSuffix("]") {
            try self.init(text)
        } else {
            try self.init("\(text):\(defaultPort)")
        }
    }

    /// The same host with the channel's second port; nil if there is no such port.
    public var secondPort: JoinEndpoint? {
        guard case (let second, false) = port.addingReportingOverflow(SecondPort.offset) else { return nil }
        return try? JoinEndpoint(host: host, port: second)
    }

    /// The endpoint of a ZeroMQ socket.
    public var zeroMQEndpoint: String { "tcp://\(self)" }

    private static func host(_ written: Substring, of text: String) throws(SecurityError) -> JoinHost {
        if written.hasPrefix("["), written.hasSuffix("]") {
            guard let address = IPAddress(String(written.dropFirst().dropLast())), case .v6 = address else {
                throw fault(text, "between brackets belongs an IPv6 address without a zone")
            }
            return .address(address)
        }
        guard !written.contains(":") else {
            throw fault(text, "brackets belong around an IPv6 address; write it as [HOST]:PORT")
        }
        if let address = IPAddress(String(written)) { return .address(address) }
        guard let name = HostName(String(written)) else {
            throw fault(text, "its host is neither an address nor a name of letters, digits, '.', '-' and '_'")
        }
        return .name(name)
    }

    private static func fault(_ text: String, _ reason: String) -> SecurityError {
        SecurityError(.badEndpoint, "read", "endpoint", "'\(text.excerpt)' is not an endpoint: \(reason)")
    }
}

extension JoinEndpoint: CustomStringConvertible {
    public var description: String { "\(host):\(port)" }
}

/// The host of an endpoint.
public enum JoinHost: Hashable, Sendable, CustomStringConvertible {
    case address(IPAddress)
    case name(HostName)

    /// As in an endpoint, before the port.
    public var description: String {
        switch self {
        case .address(.v6(let high, let low)): "[\(IPAddress.v6(high: high, low: low))]"
        case .address(let address): address.description
        case .name(let name): name.rawValue
        }
    }
}

/// A host name: 1 to 253 letters, digits, `.`, `-` and `_`, with at least one letter, so that no address is a name.
public struct HostName: Hashable, Sendable {
    /// In lower case.
    public let rawValue: String

    public init?(_ text: String) {
        let lower = text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let legal = lower.allSatisfy { byte in
            letters.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
        }
        guard (1...253).contains(lower.count), legal, lower.contains(where: letters.contains) else { return nil }
        rawValue = String(decoding: lower, as: UTF8.self)
    }
}
