public import CaptureModel
public import RigSecurity

/// Sessions of people and scripts behind gateways.
///
/// | event | link | browser, token |
/// |---|---|---|
/// | `redeemLink` with its secret | removed; a browser's session is made | refused: no link |
/// | its time passes | refused, and removed later | refused, and removed later |
/// | `endSession` | removed | removed |
/// | the maker's key is revoked | removed | removed |
/// | the maker's key is replaced | follows the new key | follows the new key |
extension KeyRegistry {
    /// What a holder asks for.
    public struct SessionRequest: Hashable, Sendable {
        public var kind: Session.Kind
        public var label: String
        public var permissions: Set<Permission>
        /// Of a link, that of the browser's session that it makes.
        public var validity: Duration

        public init(kind: Session.Kind, label: String, permissions: Set<Permission>, validity: Duration) {
            self.kind = kind
            self.label = label
            self.permissions = permissions
            self.validity = validity
        }
    }

    /// All sessions, the oldest first.
    public var sessions: [Session] { sessionList }

    /// Makes a link or a token.
    /// - Parameters:
    ///   - maker: The key of the holder that asks.
    ///   - allowed: What that holder may do in this request, of which `request` names a part.
    ///   - secret: New and random.
    /// - Throws: `notFound` if the key is not active; `notHeld`, `badSession` or `full`.
    public mutating func issueSession(
        _ request: SessionRequest, maker: PublicKey, allowed: Set<Permission>, at now: WallTime, secret: SessionSecret
    ) throws(AccessError) -> IssuedSession {
        guard ring.activeRecord(maker) != nil else {
            throw AccessError(
                .notFound, "make", "session", "the rig does not know key \(maker)", remedy: "join again with a new code"
            )
        }
        try Self.check(request, allowed)
        let own = sessionList.count { $0.maker == maker && $0.isValid(at: now) }
        guard own < limits.sessionsOfKey, sessionList.count(where: { $0.isValid(at: now) }) < limits.sessions else {
            throw AccessError(
                .full, "make", "session",
                "there are \(own) sessions of this key; a key may have \(limits.sessionsOfKey), all keys together "
                    + "\(limits.sessions)",
                remedy: "end some: `capctl web sessions` lists them, `capctl web end ID` ends one")
        }
        let isLink = request.kind == .link
        return insert(
            Session(
                secret: secret.hash, kind: request.kind, label: request.label, maker: maker,
                permissions: request.permissions, issuedAt: now,
                expiresAt: now + (isLink ? Session.linkValidity : request.validity),
                grants: isLink ? request.validity : nil), secret, at: now)
    }

    /// Makes the browser's session of a link, which ends.
    /// - Parameter secret: That of the session to be made, new and random.
    /// - Throws: `unknownCode` or `expired`.
    public mutating func redeemLink(
        _ link: SessionSecret, at now: WallTime, secret: SessionSecret
    ) throws(AccessError) -> IssuedSession {
        let hash = link.hash
        guard let index = sessionList.firstIndex(where: { $0.secret == hash && $0.kind == .link }) else {
            throw AccessError(
                .unknownCode, "redeem", "sign-in link", "this sign-in link was used before, or is not of this rig",
                remedy: "make another one: capctl web login")
        }
        let found = sessionList[index]
        guard found.isValid(at: now), let validity = found.grants else {
            let isEarly = now < found.issuedAt
            throw AccessError(
                .expired, "redeem", "sign-in link",
                "this sign-in link \(isEarly ? "is valid from \(found.issuedAt.text)" : "was valid until \(found.expiresAt.text)"), "
                    + "and the coordinator's clock shows \(now.text)",
                remedy: (isEarly ? "set the coordinator's clock, or " : "") + "make another one: capctl web login")
        }
        sessionList.remove(at: index)
        return insert(
            Session(
                secret: secret.hash, kind: .browser, label: found.label, maker: found.maker,
                permissions: found.permissions, issuedAt: now, expiresAt: now + validity, grants: nil), secret, at: now)
    }

    /// Ends a session.
    /// - Parameter maker: Only a session of this key; nil: any.
    /// - Throws: `notFound`.
    public mutating func endSession(_ id: SessionID, of maker: PublicKey?) throws(AccessError) -> Session {
        guard let index = sessionList.firstIndex(where: { $0.id == id && (maker == nil || $0.maker == maker) }) else {
            throw AccessError(
                .notFound, "end", "session \(id)", "there is no session \(id)\(maker == nil ? "" : " of this key")",
                remedy: "`capctl web sessions` lists them")
        }
        let ended = sessionList.remove(at: index)
        revision += 1
        return ended
    }

    /// Removes sessions that are no longer valid.
    /// - Returns: Those whose time has passed.
    public mutating func expireSessions(at now: WallTime) -> [Session] {
        let expired = sessionList.filter { now >= $0.expiresAt }
        guard !expired.isEmpty else { return [] }
        sessionList.removeAll { now >= $0.expiresAt }
        revision += 1
        return expired
    }

    /// Lets the sessions of an ended key follow the key that has replaced it; otherwise they end with it.
    mutating func moveSessions(of ended: PublicKey, to replacement: PublicKey?) {
        guard let replacement else { return sessionList.removeAll { $0.maker == ended } }
        for index in sessionList.indices where sessionList[index].maker == ended {
            sessionList[index].maker = replacement
        }
    }

    private mutating func insert(_ session: Session, _ secret: SessionSecret, at now: WallTime) -> IssuedSession {
        sessionList.removeAll { now >= $0.expiresAt }
        // Those that a wrong clock has made in the future are not counted, and would otherwise fill the list until their time has come and gone.
        // The latest of them go, no more than need to, since it may be this clock that is wrong.
        while sessionList.count >= limits.sessions,
            let index = sessionList.indices.filter({ !sessionList[$0].isValid(at: now) })
                .max(by: { sessionList[$0].issuedAt < sessionList[$1].issuedAt })
        {
            sessionList.remove(at: index)
        }
        sessionList.append(session)
        revision += 1
        return IssuedSession(session: session, secret: secret)
    }

    private static func check(_ request: SessionRequest, _ allowed: Set<Permission>) throws(AccessError) {
        func refusal(_ cause: String, _ remedy: String) -> AccessError {
            AccessError(.badSession, "make", "session", cause, remedy: remedy)
        }
        let excess = request.permissions.subtracting(allowed)
        guard excess.isEmpty else {
            let names = excess.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
            throw AccessError(
                .notHeld, "make", "session",
                "a session cannot have the permission \(names), which its maker does not have",
                remedy: "ask for less, or ask an administrator of the rig for another role")
        }
        guard !request.permissions.isEmpty else {
            throw refusal("a session needs a permission", "name some of your own")
        }
        guard Session.labelByteCounts.contains(request.label.utf8.count),
            !request.label.hasUnprintable
        else { throw refusal("a session's label has 1 to 64 bytes without control characters", "give a shorter one") }
        guard Session.validities.contains(request.validity) else {
            throw refusal("a session is valid for 1 min to 400 days", "give a time between these")
        }
        guard request.kind != .browser else {
            throw refusal("a browser's session is made with a link", "make a link instead")
        }
    }
}
