internal import HTTPTypes
internal import Hummingbird
internal import RigSecurity

/// Which hosts and origins a gateway answers to.
struct OwnOrigins: Sendable {
    /// The origin of each host by which the gateway is reached, by ``Host/description``.
    private var origins: [String: String] = [:]
    /// The port of hosts that are numeric addresses; nil if only those of `origins` count.
    private var portOfAddresses: Int?
    private let scheme: String

    /// - Parameters:
    ///   - port: The port that the gateway listens on.
    ///   - names: Names of this machine.
    ///   - further: Hosts that a reverse proxy hands on, or further names of this machine.
    init(port: Int, names: [String], further: [String], transport: GatewayTransport) {
        scheme = transport.scheme
        var own = ["127.0.0.1", "[::1]", "localhost"]
        if case .tls = transport {
            own += names + further
            // No other site's name can be pointed at a gateway whose `Host` is an address.
            portOfAddresses = port
        }
        for name in own { add(Host("\(name):\(port)", scheme: scheme)) }
        for host in further { add(Host(host, scheme: transport.isSecure ? "https" : "http")) }
    }

    private mutating func add(_ host: Host) { origins[host.description] = host.origin }

    /// The origin of the gateway by this `Host`; nil if it is not one of the gateway's.
    func origin(of text: String) -> String? {
        for scheme in ["https", "http"] {
            let host = Host(text, scheme: scheme)
            if let origin = origins[host.description], origin == host.origin { return origin }
        }
        let host = Host(text, scheme: scheme)
        guard let portOfAddresses, host.port == portOfAddresses, host.isAddress else { return nil }
        return host.origin
    }

    /// Why a request is not answered; nil if it is for this gateway: a page whose name was pointed here (DNS rebinding) has another `Host`,
    /// and a page of another origin another `Origin`. Scripts have no `Origin`.
    func refusal(host: String?, origin: String?) -> GatewayProblem? {
        guard let own = host.flatMap(self.origin) else {
            let came = host ?? ""
            return GatewayProblem(
                .misdirectedRequest, "misdirected",
                "this gateway is not '\(came)', which the field 'Host' names; if browsers reach it there, start capwebd with --host \(came.isEmpty ? "HOST" : came); behind a reverse proxy, have it pass the Host of the browser on with its port (nginx: proxy_set_header Host $http_host)"
            )
        }
        guard let origin, Host(origin: origin)?.origin != own else { return nil }
        return GatewayProblem(.forbidden, "foreignOrigin", "a page of another origin asks: \(origin)")
    }
}

/// A host of an address, as `Host` and `Origin` name it: `HOST` or `HOST:PORT`, in which the port of the scheme, the case, and a dot at the
/// end of a name make no difference (RFC 9110, section 4.2.3).
private struct Host: CustomStringConvertible {
    private let scheme: String
    private let name: String
    let port: Int

    init(_ text: String, scheme: String) {
        self.scheme = scheme
        var name = text.lowercased()[...]
        var port = Self.defaultPort(of: scheme)
        if let colon = name.lastIndex(of: ":"), let number = UInt16(name[name.index(after: colon)...]) {
            (name, port) = (name[..<colon], Int(number))
        }
        self.name = String(name.hasSuffix(".") ? name.dropLast() : name)
        self.port = port
    }

    init?(origin: String) {
        guard let scheme = ["https", "http"].first(where: { origin.lowercased().hasPrefix("\($0)://") }) else {
            return nil
        }
        self.init(String(origin.dropFirst("\(scheme)://".count)), scheme: scheme)
    }

    private static func defaultPort(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }

    var description: String {
        port == Self.defaultPort(of: scheme) ? name : "\(name):\(port)"
    }

    var origin: String { "\(scheme)://\(self)" }

    /// Whether it is a numeric address.
    var isAddress: Bool {
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        switch IPAddress(isBracketed ? String(name.dropFirst().dropLast()) : name) {
        case .v4? where !isBracketed, .v6? where isBracketed: return true
        default: return false
        }
    }
}

/// Checks `Host` and `Origin`, and adds the headers that confine what a browser does with an answer.
struct OriginMiddleware: RouterMiddleware {
    let origins: @Sendable () -> OwnOrigins

    private static let policy =
        "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let refusal = origins().refusal(host: request.head.authority, origin: request.headers[.origin])
        var response = if let refusal { refusal.response() } else { try await next(request, context) }
        response.headers[.contentSecurityPolicy] = Self.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = "no-referrer" }
        if let name = HTTPField.Name("Cross-Origin-Opener-Policy") { response.headers[name] = "same-origin" }
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { response.headers[name] = "same-origin" }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }
}
