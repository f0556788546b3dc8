internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import RigSecurity

/// What handlers know of a request besides its bytes.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The request's connection.
    let channel: any Channel
    /// The session in whose name the request is made; nil before ``SessionMiddleware`` has read it.
    var session: SessionSecret?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// A part of the path that the route names.
    func parameter(_ name: String) throws -> String {
        guard let value = parameters.get(name), let text = value.removingPercentEncoding else {
            throw GatewayProblem.badRequest("the path has no \(name)")
        }
        return text
    }
}

/// The session of a request, by its header or cookie.
enum RequestCredentials {
    /// The cookie's name, and over TLS, where no other origin may set it (RFC 6265bis, section 4.1.3.2).
    static let cookieName = "caprig-session"
    static let secureCookieName = "__Host-caprig-session"

    /// - Parameters:
    ///   - authorization: The header `Authorization`.
    ///   - cookies: The headers `Cookie`.
    static func session(authorization: String?, cookies: [String]) -> SessionSecret? {
        if let authorization {
            let words = authorization.split(separator: " ")
            guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
            return SessionSecret(text: words[1])
        }
        for cookie in cookies.flatMap({ $0.split(separator: ";") }) {
            let parts = cookie.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = parts[0].trimmingPrefix { $0 == " " }
            guard name == cookieName || name == secureCookieName else { continue }
            if let session = SessionSecret(text: parts[1]) { return session }
        }
        return nil
    }
}

/// Reads the session of a request, and refuses what a page of another origin could send with somebody's cookie.
struct SessionMiddleware: RouterMiddleware {
    static let ownRequest = HTTPField.Name("Caprig-Request")
    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")

    /// What the paths begin with that need a session.
    let prefix: String
    /// In whose name requests without a session look; nil: they are refused.
    let anonymous: SessionSecret?

    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.session = RequestCredentials.session(
            authorization: request.headers[.authorization], cookies: request.headers[values: .cookie])
        if context.session == nil, request.headers[.authorization] == nil, [.get, .head].contains(request.method) {
            context.session = anonymous
        }
        if context.session == nil, request.uri.path.hasPrefix(prefix), request.uri.path != prefix + "login" {
            throw GatewayProblem.noSession
        }
        // A page of a sibling site, such as another port of this host, has the cookie too.
        let site = Self.fetchSite.flatMap { request.headers[$0] }
        if request.uri.path.hasPrefix(prefix), let site, !["same-origin", "none"].contains(site) {
            throw GatewayProblem(.forbidden, "foreignOrigin", "a page of another origin asks")
        }
        let isChange = ![.get, .head].contains(request.method)
        if isChange, request.headers[.authorization] == nil, let name = Self.ownRequest, request.headers[name] == nil {
            throw GatewayProblem(
                .forbidden, "foreignOrigin", "a change with a cookie needs the header Caprig-Request: 1")
        }
        return try await next(request, context)
    }
}
