internal import CaptureModel
internal import Hummingbird
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import RigSecurity

/// Who asks: signing in and out, and sessions.
struct SignInRoutes {
    let rig: GatewayRig
    /// Whether browsers reach the gateway over TLS, so that cookies must not leave it.
    let isSecure: Bool

    private struct Link: Decodable {
        var secret: String
    }

    func add(to group: RouterGroup<GatewayContext>) {
        group.post("login") { request, _ in try await signIn(request) }
        group.post("logout") { _, context in try await signOut(context) }
        group.get("identity") { _, context in
            try Response.json(IdentityDocument(try await rig.with(context.session) { try await $0.identity() }))
        }
        group.get("sessions") { _, context in
            try Response.json([
                "sessions": try await rig.with(context.session) { try await $0.sessions() }.map(WebSessionDocument.init)
            ])
        }
        group.delete("sessions/:id") { _, context in
            let id = try context.parameter("id")
            guard let session = SessionID(id) else {
                throw GatewayProblem(.notFound, "notFound", "there is no session '\(id)'")
            }
            do {
                _ = try await rig.with(context.session) { try await $0.endSession(session) }
            } catch let error as RigClientError where error.code == .refused("conflict") {
                throw GatewayProblem(.notFound, "notFound", error.description)
            }
            return Response(status: .noContent)
        }
    }

    /// Uses a link up. Only this request does, so whoever looks at the link's page does no harm.
    private func signIn(_ request: Request) async throws -> Response {
        guard let link = SessionSecret(text: try await request.document(Link.self).secret) else {
            throw GatewayProblem.member("secret", "this is not a sign-in link; make one: capctl web login")
        }
        let (session, secret) = try await rig.client.redeemLink(link)
        // A duration, which needs no clock of this machine.
        let bounds = [session.issued, session.expires].map { RFC3339.realtimeNanoseconds($0.description) ?? 0 }
        let age = (bounds[1] - bounds[0]) / 1_000_000_000
        return Response(status: .noContent, headers: [.setCookie: cookie(secret.text, age: age)])
    }

    /// Ends the session, if there is one, and the cookie in any case.
    private func signOut(_ context: GatewayContext) async throws -> Response {
        let gone = Response(status: .noContent, headers: [.setCookie: cookie("", age: 0)])
        do {
            let identity = try await rig.with(context.session) { try await $0.identity() }
            guard let session = identity.session else { return gone }
            _ = try await rig.with(context.session) { try await $0.endSession(session.id) }
        } catch let error as RigClientError where error.code == .refused("sessionEnded") {
            return gone
        }
        return gone
    }

    private func cookie(_ value: String, age: Int64) -> String {
        "\(isSecure ? RequestCredentials.secureCookieName : RequestCredentials.cookieName)=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}

/// `GET /identity`.
struct IdentityDocument: Encodable {
    var permissions: [String]
    var principal: String
    /// Absent for a request without a session.
    var session: WebSessionDocument?

    init(_ identity: RigIdentity) {
        permissions = Permission.allCases.filter(identity.permissions.contains).map(\.rawValue)
        principal = identity.principal
        session = identity.session.map(WebSessionDocument.init)
    }
}
