internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
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

/// What a request shows of its session: the header or a cookie. Whether it is a session, the coordinator says.
struct RequestCredentials: Hashable {
    /// The cookie's name, and over TLS, where no other origin may set it (RFC 6265bis, section 4.1.3.2).
    static let cookieName = "caprig-session"
    static let secureCookieName = "__Host-caprig-session"

    let session: SessionSecret
    let isCookie: Bool

    /// - Parameters:
    ///   - authorization: The header `Authorization`.
    ///   - cookies: The headers `Cookie`.
    /// - Returns: nil for a request without them, or with something else in their place.
    init?(authorization: String?, cookies: [String]) {
        if let authorization {
            let words = authorization.split(separator: " ")
            guard words.count == 2, words[0].lowercased() == "bearer", let session = SessionSecret(text: words[1])
            else { return nil }
            (self.session, isCookie) = (session, false)
            return
        }
        for cookie in cookies.flatMap({ $0.split(separator: ";") }) {
            let parts = cookie.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = parts[0].trimmingPrefix { $0 == " " }
            guard name == Self.cookieName || name == Self.secureCookieName else { continue }
            guard let session = SessionSecret(text: parts[1]) else { continue }
            (self.session, isCookie) = (session, true)
            return
        }
        return nil
    }

    init?(_ request: Request) {
        self.init(authorization: request.headers[.authorization], cookies: request.headers[values: .cookie])
    }

    init?(_ head: HTTPRequestHead) {
        self.init(authorization: head.headers.first(name: "authorization"), cookies: head.headers["cookie"])
    }
}

/// Reads the session of a request, and refuses what a page of another origin could send with somebody's cookie.
struct SessionMiddleware: RouterMiddleware {
    static let ownRequest = HTTPField.Name("Caprig-Request")
    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")

    /// What the paths begin with that need a session.
    private let prefix: String
    private let rig: GatewayRig
    /// In whose name requests without a session look; nil: they are refused.
    private let anonymous: SessionSecret?

    init(rig: GatewayRig, anonymous: SessionSecret?) {
        (prefix, self.rig, self.anonymous) = ("/\(rig.path)/", rig, anonymous)
    }

    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let credentials = RequestCredentials(request) {
            context.session = credentials.session
            // What needs no session is answered without asking about it.
            let path = request.uri.path
            let isSigningInOrOut = path == prefix + "login" || path == prefix + "logout"
            if path == "/metrics" || path.hasPrefix(prefix) && !isSigningInOrOut {
                try await rig.confirm(credentials)
            }
        }
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
        if isChange, request.headers[.authorization] == nil, let name = Self.ownRequest, request.headers[name] != "1" {
            throw GatewayProblem(
                .forbidden, "foreignOrigin", "a change with a cookie needs the header Caprig-Request: 1")
        }
        return try await next(request, context)
    }
}
