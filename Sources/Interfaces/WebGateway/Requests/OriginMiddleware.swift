internal import HTTPTypes
internal import Hummingbird
internal import RigSecurity

/// Which hosts and origins a gateway answers to.
struct OwnOrigins: Sendable {
    /// The origin of each host by which the gateway is reached: `HOST` or `HOST:PORT`, in lower case.
    private var origins: [String: String] = [:]
    /// The port of hosts that are numeric addresses; nil if only those of `origins` count.
    private var portOfAddresses: Int?
    private let scheme: String

    /// - Parameters:
    ///   - port: The port that the gateway listens on.
    ///   - names: Names of this machine.
    ///   - further: Hosts that a reverse proxy hands on, or further names of this machine.
    init(port: Int, names: [String], further: [String], transport: GatewayTransport) {
        scheme = transport.scheme + "://"
        var own = ["127.0.0.1", "[::1]", "localhost"]
        if case .tls = transport {
            own += (names + further).map { $0.lowercased() }
            // No other site's name can be pointed at a gateway whose `Host` is an address.
            portOfAddresses = port
        }
        for host in own {
            origins["\(host):\(port)"] = "\(scheme)\(host):\(port)"
            if transport.scheme == "https", port == 443 { origins[host] = scheme + host }
        }
        for host in further.map({ $0.lowercased() }) {
            origins[host] = (transport.isSecure ? "https://" : "http://") + host
        }
    }

    private func origin(of host: String) -> String? {
        if let origin = origins[host] { return origin }
        guard let portOfAddresses else { return nil }
        let isDefault = portOfAddresses == 443 && (host.hasSuffix("]") || !host.contains(":"))
        guard isDefault || host.hasSuffix(":\(portOfAddresses)") else { return nil }
        let address = isDefault ? host : String(host.dropLast("\(portOfAddresses)".count + 1))
        let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
        switch IPAddress(isBracketed ? String(address.dropFirst().dropLast()) : address) {
        case .v4? where !isBracketed, .v6? where isBracketed: return scheme + host
        default: return nil
        }
    }

    /// Why a request is not answered; nil if it is for this gateway: a page whose name was pointed here (DNS rebinding) has another `Host`,
    /// and a page of another origin another `Origin`. Scripts have no `Origin`.
    func refusal(host: String?, origin: String?) -> GatewayProblem? {
        guard let own = host.flatMap({ self.origin(of: $0.lowercased()) }) else {
            return GatewayProblem(
                .misdirectedRequest, "misdirected",
                "this gateway is not '\(host ?? "")'; start capwebd with --host NAME if it is reached by that name")
        }
        guard let origin, origin.lowercased() != own else { return nil }
        return GatewayProblem(.forbidden, "foreignOrigin", "a page of another origin asks: \(origin)")
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
