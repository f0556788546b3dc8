internal import CaptureModel
internal import FoundationEssentials
internal import RigProtocol
public import RigSecurity
internal import RigWire

/// Sessions of people and scripts behind gateways.
extension RigClient {
    /// The session in whose name requests are made; nil for the client's own key. For a gateway, whose key has the role `dashboard`.
    @TaskLocal public static var session: SessionSecret?

    /// Makes a sign-in link, or a token for a script.
    /// - Parameters:
    ///   - label: What the session is for: 1 to 64 bytes without control characters.
    ///   - permissions: Some of those that the requester has.
    ///   - validity: How long the token is valid, or the browser's session that the link makes: 1 min to 400 days.
    /// - Returns: The session and its secret, of which the coordinator keeps no copy.
    public func issueSession(
        _ kind: RigSession.Kind, label: String, permissions: Set<Permission>, validity: Duration
    ) async throws(RigClientError) -> (RigSession, secret: SessionSecret) {
        var request = WireIssueSession()
        request.kind = kind.rawValue
        request.label = label
        request.permissions = Permission.allCases.filter(permissions.contains).map(\.rawValue)
        request.validityNs = validity.nanoseconds
        return try await issued(.issueSession(request), operation: "web login")
    }

    /// Makes the browser's session of a sign-in link, which ends.
    public func redeemLink(_ link: SessionSecret) async throws(RigClientError) -> (RigSession, secret: SessionSecret) {
        var request = WireRedeemLink()
        request.secret = Data(link.bytes)
        return try await issued(.redeemLink(request), operation: "sign in")
    }

    private func issued(
        _ body: WireClientRequest.OneOf_Body, operation: String
    ) async throws(RigClientError) -> (RigSession, secret: SessionSecret) {
        let answer = try await ask(body, operation: operation)
        return try reading(answer, operation: operation) { body throws(WireError) in
            guard case .issuedSession(let issued) = body else { return nil }
            let secret = try FieldReader("IssuedSession").present(SessionSecret(bytes: issued.secret), "secret")
            return (try RigSession(wire: issued.session), secret: secret)
        }
    }

    /// Ends a session: one of the requester's own, or any as an administrator.
    public func endSession(_ id: SessionID) async throws(RigClientError) -> RigSession {
        var request = WireEndSession()
        request.id = "\(id)"
        let answer = try await ask(.endSession(request), operation: "web end")
        return try reading(answer, operation: "web end") { body throws(WireError) in
            guard case .endedSession(let session) = body else { return nil }
            return try RigSession(wire: session)
        }
    }

    /// The requester's sessions; those of everybody for an administrator.
    public func sessions() async throws(RigClientError) -> [RigSession] {
        let answer = try await ask(.listSessions(.init()), operation: "web sessions")
        return try reading(answer, operation: "web sessions") { body throws(WireError) in
            guard case .sessionList(let list) = body else { return nil }
            return try FieldReader("SessionList").list(list.sessions, "sessions", limit: 1024).map {
                session throws(WireError) in
                try RigSession(wire: session)
            }
        }
    }

    /// Who this client is to the rig, in the name of ``session`` if there is one.
    public func identity() async throws(RigClientError) -> RigIdentity {
        let answer = try await ask(.getIdentity(.init()), operation: "whoami")
        return try reading(answer, operation: "whoami") { body throws(WireError) in
            guard case .identity(let identity) = body else { return nil }
            return try RigIdentity(wire: identity)
        }
    }
}
