/// What the host of an endpoint is, as far as it decides about the family of its address.
enum EndpointHost: Equatable {
    /// `*`: every address, of IPv6 and of IPv4.
    case any
    /// An address of IPv6.
    case ipv6
    /// An address of IPv4, an interface, or another transport than TCP.
    case other
    /// A name, which may have addresses of both families.
    case name

    init(_ endpoint: String) {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else {
            self = .other
            return
        }
        // An address of this end may stand before the other's.
        let hosts = endpoint[..<colon].dropFirst("tcp://".count).split(separator: ";")
        guard let host = hosts.last else {
            self = .other
            return
        }
        if host == "*" {
            self = .any
        } else if host.contains(":") {
            self = .ipv6
        } else {
            self = host.split(separator: ".").allSatisfy { UInt8($0) != nil } ? .other : .name
        }
    }

    /// The port of a TCP endpoint.
    static func port(of endpoint: String) -> UInt16? {
        endpoint.hasPrefix("tcp://") ? endpoint.split(separator: ":").last.flatMap { UInt16($0) } : nil
    }
}

extension ConnectionEvent {
    /// The port of its endpoint; nil for other transports than TCP.
    var port: UInt16? { EndpointHost.port(of: endpoint) }

    var isFailedAttempt: Bool {
        if case .connectRetried = kind { true } else { false }
    }
}
