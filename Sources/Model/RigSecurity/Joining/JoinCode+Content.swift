internal import CaptureModel

/// The bytes of a code's content.
extension JoinCode {
    private static let roles: [Role] = [.viewer, .operator, .node, .dashboard, .admin]

    var content: [UInt8] {
        var bytes = token.bytes + coordinator.bytes
        bytes.append(UInt8(clamping: Self.roles.firstIndex(of: role) ?? 0))
        bytes += Self.prefixed(name.rawValue) + Self.prefixed(rig.rawValue)
        bytes.append(UInt8(clamping: endpoints.count))
        return bytes + endpoints.flatMap(Self.bytes)
    }

    static func parse(content: [UInt8]) throws(SecurityError) -> JoinCode {
        var reader = ContentReader(content)
        guard let token = JoinToken(bytes: try reader.take(JoinToken.byteCount)),
            let coordinator = PublicKey(bytes: try reader.take(PublicKey.byteCount))
        else { throw ContentReader.malformed("it has no key of a coordinator") }
        let role = Int(try reader.byte())
        guard roles.indices.contains(role) else { throw ContentReader.unknown("role") }
        let name: KeyName = try reader.name()
        let rig: RigName = try reader.name()
        var endpoints: [JoinEndpoint] = []
        for _ in 0..<(try reader.byte()) {
            endpoints.append(try reader.endpoint())
        }
        guard reader.isAtEnd else { throw ContentReader.unknown("part") }
        guard (1...endpointLimit).contains(endpoints.count) else {
            throw ContentReader.malformed("it has \(endpoints.count) endpoints")
        }
        return try JoinCode(
            endpoints: endpoints, coordinator: coordinator, token: token, name: name, role: roles[role], rig: rig)
    }

    private static func prefixed(_ text: String) -> [UInt8] { [UInt8(clamping: text.utf8.count)] + Array(text.utf8) }

    private static func bytes(of endpoint: JoinEndpoint) -> [UInt8] {
        let host: [UInt8] =
            switch endpoint.host {
            case .address(.v4(let number)): [4] + bytes(of: number)
            case .address(.v6(let high, let low)): [6] + bytes(of: high) + bytes(of: low)
            case .name(let name): [1] + prefixed(name.rawValue)
            }
        return host + bytes(of: endpoint.port)
    }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        (1...Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number(Number.bitWidth - 8 * $0)) }
    }
}

/// Reads the content of a code, whose checksum was right.
private struct ContentReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(SecurityError) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw Self.malformed("it ends too early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func byte() throws(SecurityError) -> UInt8 { try take(1).reduce(0) { $1 } }

    mutating func number<Number: FixedWidthInteger>() throws(SecurityError) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
    }

    private mutating func text() throws(SecurityError) -> String {
        String(decoding: try take(Int(byte())), as: UTF8.self)
    }

    mutating func name<Subject: NamedSubject>() throws(SecurityError) -> Name<Subject> {
        let text = try text()
        do { return try Name(text) } catch { throw Self.malformed(error.description) }
    }

    mutating func endpoint() throws(SecurityError) -> JoinEndpoint {
        let host: JoinHost
        switch try byte() {
        case 4: host = .address(.v4(try number()))
        case 6: host = .address(.v6(high: try number(), low: try number()))
        case 1:
            let text = try text()
            guard let name = HostName(text), name.rawValue == text else {
                throw Self.malformed("'\(text.excerpt)' is not a host name")
            }
            host = .name(name)
        default: throw Self.unknown("kind of address")
        }
        let port: UInt16 = try number()
        do { return try JoinEndpoint(host: host, port: port) } catch { throw Self.malformed(error.cause) }
    }

    static func malformed(_ reason: String) -> SecurityError {
        SecurityError(
            .malformed, "read", "join code", "the code cannot be used: \(reason); make another one on the coordinator")
    }

    /// A later program may write what this one does not know.
    static func unknown(_ what: String) -> SecurityError {
        SecurityError(
            .newerVersion, "read", "join code",
            "this code needs a newer capctl: it has a \(what) that this program does not know; update Caprig on this "
                + "machine")
    }
}
