internal import CaptureModel
internal import RigSecurity

/// The sessions of a registry, the oldest first.
struct SessionList: Hashable, Sendable {
    private var entries: [Session] = []

    init() {}

    /// Restores the sessions of a document.
    init(restoring entries: [Session]) { self.entries = entries }

    /// All sessions, the oldest first.
    var list: [Session] { entries }

    /// Makes a link or a token.
    /// - Throws: `notHeld`, `badSession` or `full`.
    mutating func issue(
        _ request: KeyRegistry.SessionRequest, maker: PublicKey, allowed: Set<Permission>, at now: WallTime,
        secret: SessionSecret, limits: KeyRegistry.Limits
    ) throws(AccessError) -> IssuedSession {
        try Self.check(request, allowed)
        let own = entries.count { $0.maker == maker && $0.isValid(at: now) }
        guard own < limits.sessionsOfKey, entries.count(where: { $0.isValid(at: now) }) < limits.sessions else {
            throw AccessError(
                .full, "make", "session",
                "there are \(own) sessions of this key; a key may have \(limits.sessionsOfKey), all keys together "
                    + "\(limits.sessions)",
                remedy: "end some: `capctl web sessions` lists them, `capctl web end ID` ends one")
        }
        let isLink = request.kind == .link
        let session = Session(
            secret: secret.hash, kind: request.kind, label: request.label, maker: maker,
            permissions: request.permissions, issuedAt: now,
            expiresAt: now + (isLink ? Session.linkValidity : request.validity),
            grants: isLink ? request.validity : nil)
        insert(session, at: now, limit: limits.sessions)
        return IssuedSession(session: session, secret: secret)
    }

    /// Makes the browser's session of a link, which ends.
    /// - Throws: `unknownCode` or `expired`.
    mutating func redeem(
        _ link: SessionSecret, at now: WallTime, secret: SessionSecret, limit: Int
    ) throws(AccessError) -> IssuedSession {
        let hash = link.hash
        guard let index = entries.firstIndex(where: { $0.secret == hash && $0.kind == .link }) else {
            throw AccessError(
                .unknownCode, "redeem", "sign-in link", "this sign-in link was used before, or is not of this rig",
                remedy: "make another one: capctl web login")
        }
        let found = entries[index]
        guard found.isValid(at: now), let validity = found.grants else {
            let isEarly = now < found.issuedAt
            throw AccessError(
                .expired, "redeem", "sign-in link",
                "this sign-in link \(isEarly ? "is valid from \(found.issuedAt.text)" : "was valid until \(found.expiresAt.text)"), "
                    + "and the coordinator's clock shows \(now.text)",
                remedy: (isEarly ? "set the coordinator's clock, or " : "") + "make another one: capctl web login")
        }
        entries.remove(at: index)
        let session = Session(
            secret: secret.hash, kind: .browser, label: found.label, maker: found.maker,
            permissions: found.permissions, issuedAt: now, expiresAt: now + validity, grants: nil)
        insert(session, at: now, limit: limit)
        return IssuedSession(session: session, secret: secret)
    }

    /// Ends a session.
    /// - Parameter maker: Only a session of this key; nil: any.
    /// - Throws: `notFound`.
    mutating func end(_ id: SessionID, of maker: PublicKey?) throws(AccessError) -> Session {
        guard let index = entries.firstIndex(where: { $0.id == id && (maker == nil || $0.maker == maker) }) else {
            throw AccessError(
                .notFound, "end", "session \(id)", "there is no session \(id)\(maker == nil ? "" : " of this key")",
                remedy: "`capctl web sessions` lists them")
        }
        return entries.remove(at: index)
    }

    /// Removes sessions that are no longer valid.
    /// - Returns: Those whose time has passed.
    mutating func expire(at now: WallTime) -> [Session] {
        let expired = entries.filter { now >= $0.expiresAt }
        if !expired.isEmpty { entries.removeAll { now >= $0.expiresAt } }
        return expired
    }

    /// Lets the sessions of an ended key follow the key that has replaced it; otherwise they end with it.
    mutating func move(from ended: PublicKey, to replacement: PublicKey?) {
        guard let replacement else { return entries.removeAll { $0.maker == ended } }
        for index in entries.indices where entries[index].maker == ended { entries[index].maker = replacement }
    }

    private mutating func insert(_ session: Session, at now: WallTime, limit: Int) {
        entries.removeAll { now >= $0.expiresAt }
        // Those that a wrong clock has made in the future are not counted, and would otherwise fill the list until their time has come and gone.
        // The latest of them go, no more than need to, since it may be this clock that is wrong.
        while entries.count >= limit,
            let index = entries.indices.filter({ !entries[$0].isValid(at: now) })
                .max(by: { entries[$0].issuedAt < entries[$1].issuedAt })
        {
            entries.remove(at: index)
        }
        entries.append(session)
    }

    private static func check(_ request: KeyRegistry.SessionRequest, _ allowed: Set<Permission>) throws(AccessError) {
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
