public import CaptureModel
public import RigSecurity

/// The keys of a rig: which are admitted under which names and roles, who is invited, who waits for approval, and which
/// sessions their holders have made.
///
/// A value without a clock, random numbers, disk or socket. Each operation either returns what it did, or throws an
/// ``AccessError`` and changes nothing.
///
/// **Durable before effect is the caller's duty.** The caller applies an operation to a copy. If ``revision`` has grown,
/// it writes the copy's ``KeyRegistryDocument`` durably. Only then does it replace its value, publish the
/// ``snapshot()``, and answer. If writing fails, it drops the copy and answers with the failure. A crash between writing
/// and answering loses an answer, and the operation is repeated: redeeming, requesting, revoking and direct admission
/// have the same result again.
///
/// At its start and at least once a minute, the caller has invitations expire: ``expireInvitations(at:)``.
///
/// Who may do what is not decided here: the caller checks the permission `admin` of `by`.
public struct KeyRegistry: Equatable, Sendable {
    /// The most entries of each kind.
    public struct Limits: Hashable, Sendable {
        /// Active keys. Further ones are refused.
        public var keys = 8192
        /// Revoked keys. Those revoked first are forgotten, and are then refused as unknown.
        public var revokedKeys = 4096
        /// Open invitations. Further ones are refused.
        public var openInvitations = 64
        /// All invitations, of which those that are not open are kept for repeats and for clear refusals. The oldest of
        /// them are forgotten.
        public var invitations = 256
        /// Requests for approval. The oldest is displaced.
        public var requests = 64
        /// Valid sessions. Further ones are refused.
        public var sessions = 1024
        /// Valid sessions of one key. Further ones are refused.
        public var sessionsOfKey = 128

        public init() {}
    }

    /// Counts of what the limits removed, since the start of the program.
    public struct Counters: Hashable, Sendable {
        public let forgottenKeys: UInt64
        public let forgottenInvitations: UInt64
        public let displacedRequests: UInt64
    }

    public let limits: Limits
    private var storedRevision: UInt64 = 0
    private var ring = KeyRing()
    private var invitationList = InvitationList()
    private var joinRequests = JoinRequests()
    private var sessionList = SessionList()

    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Restores a registry.
    /// - Throws: The rule that what it should contain breaks.
    init(
        revision: UInt64, keys: [KeyRecord], invitations: [Invitation], sessions: [Session], limits: Limits
    ) throws(KeyRing.BrokenRule) {
        self.limits = limits
        storedRevision = revision
        ring = try KeyRing(restoring: keys)
        invitationList = try InvitationList(restoring: invitations)
        sessionList = SessionList(restoring: sessions)
        guard sessions.allSatisfy({ ring.activeRecord($0.maker) != nil }) else {
            throw KeyRing.BrokenRule("a session is of a key that is not active")
        }
        guard ring.isWithin(active: limits.keys, revoked: limits.revokedKeys),
            invitations.count <= limits.invitations, sessions.count <= limits.sessions
        else { throw KeyRing.BrokenRule("it has more keys, invitations or sessions than are allowed") }
    }

    /// Grows with each change of what the document contains: keys, invitations and sessions. Requests are not stored.
    public var revision: UInt64 { storedRevision }

    public var counters: Counters {
        Counters(
            forgottenKeys: ring.forgotten, forgottenInvitations: invitationList.forgotten,
            displacedRequests: joinRequests.displaced)
    }

    /// All keys: the active ones by name, then the revoked ones, the last revoked first.
    public var keys: [KeyRecord] { ring.list }

    /// All invitations, the oldest first.
    public var invitations: [Invitation] { invitationList.list }

    /// All requests, waiting and declined, the oldest first.
    public var requests: [JoinRequest] { joinRequests.list }

    /// All sessions, the oldest first.
    public var sessions: [Session] { sessionList.list }

    /// Returns a known key, active or revoked.
    public func record(of key: PublicKey) -> KeyRecord? { ring.record(key) }

    /// Returns what a handler of connections needs. Takes time in proportion to the number of keys.
    public func snapshot() -> AccessSnapshot {
        AccessSnapshot(
            revision: revision, holders: ring.activeHolders, revoked: ring.revokedKeys, sessions: sessionList.list)
    }

    // MARK: Known keys

    /// Admits a key without invitation or request, such as that of the coordinator's own machine.
    /// - Returns: `repeated` if the key has this name and role already.
    /// - Throws: `revoked`, `keyInUse`, `nameTaken`, `reservedName` or `full`.
    public mutating func admit(
        _ key: PublicKey, as name: KeyName, role: Role, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> AdmissionOutcome {
        let holder = KeyHolder(name: name, role: role, key: key)
        if ring.activeRecord(key)?.holder == holder { return .repeated(holder) }
        try ring.checkAdmission(of: key, as: name, limit: limits.keys, "admit")
        insert(holder, Admission(means: .direct, by: principal, at: now))
        return .admitted(holder)
    }

    /// Finds what a person means by a name, or by the beginning of a fingerprint. A name goes first.
    /// - Throws: `notFound` or `ambiguous`.
    public func select(_ text: String) throws(AccessError) -> KeySelection {
        if let name = try? KeyName(text), !ring.knownKeys(of: name).isEmpty {
            return .name(name)
        }
        switch (try? FingerprintPrefix(text))?.match(in: ring.keys) {
        case .one(let key): return .key(key)
        case .ambiguous: throw .ambiguous("select", text)
        case .none?, nil:
            throw AccessError(
                .notFound, "select", text.excerpt,
                "no key has the name '\(text.excerpt)', or a fingerprint that begins so",
                remedy: "`capctl keys list` shows names and fingerprints")
        }
    }

    /// Revokes keys for ever. Their names are free afterwards.
    /// - Returns: The holders whose keys were active; none if all were revoked before.
    /// - Throws: `notFound`, or `lastAdmin` if no admin would be left.
    public mutating func revoke(
        _ selection: KeySelection, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> [KeyHolder] {
        let active = try keys(of: selection).compactMap { ring.activeRecord($0)?.holder }
        guard !active.isEmpty else { return [] }
        let admins = active.count { $0.role == .admin }
        guard admins == 0 || ring.adminCount > admins else {
            throw AccessError(
                .lastAdmin, "revoke", "\(active[0].name)",
                "'\(active[0].name)' has the only key of an admin, and nobody "
                    + "could manage the rig's keys without it",
                remedy: "admit the key of another admin first")
        }
        for holder in active {
            ring.revoke(holder.key, Revocation(by: principal, at: now, replacement: nil))
            sessionList.move(from: holder.key, to: nil)
        }
        ring.forgetRevoked(beyond: limits.revokedKeys)
        storedRevision += 1
        return active
    }

    /// Gives the keys of a name another name.
    /// - Returns: The holders with their name afterwards.
    /// - Throws: `notFound`, `nameTaken` or `reservedName`.
    public mutating func rename(_ old: KeyName, to new: KeyName) throws(AccessError) -> [KeyHolder] {
        try ring.checkKnown(old, "rename")
        if old != new {
            try ring.checkFree(new, "rename")
            ring.rename(old, to: new)
            storedRevision += 1
        }
        return ring.activeHolders(of: new)
    }

    /// The known keys of a selection, active or revoked.
    private func keys(of selection: KeySelection) throws(AccessError) -> [PublicKey] {
        switch selection {
        case .name(let name):
            let known = ring.knownKeys(of: name)
            if known.isEmpty { try ring.checkKnown(name, "revoke") }
            return known
        case .key(let key):
            guard ring.record(key) != nil else {
                throw AccessError(
                    .notFound, "revoke", "\(key)", "the rig does not know key \(key)",
                    remedy: "`capctl keys list` shows the keys")
            }
            return [key]
        }
    }

    /// Admits a checked key and forgets its request.
    private mutating func insert(_ holder: KeyHolder, _ admission: Admission, rotatesFrom: PublicKey? = nil) {
        ring.insert(KeyRecord(holder: holder, admission: admission, rotatesFrom: rotatesFrom))
        joinRequests.remove(holder.key)
        storedRevision += 1
    }
}

/// Replacing a key by another of the same name. Both are valid until the new one is confirmed by its use, or until an
/// admin ends the rotation. The name and the role stay.
///
/// | event | old key | new key |
/// |---|---|---|
/// | `rotate` | active | active |
/// | `confirmRotation`, `endRotation(keeping: .new)` | revoked: replaced | active |
/// | `endRotation(keeping: .old)` | active | revoked |
/// | `revoke` of the name | revoked | revoked |
/// | `revoke` of one key | as it says | the other stays |
extension KeyRegistry {
    /// The key of a rotation that stays.
    public enum RotationEnd: Hashable, Sendable {
        case old
        case new
    }

    /// Begins a rotation.
    /// - Returns: The holder of the new key; the same again for the same key.
    /// - Throws: `notFound`, `rotating`, `revoked`, `keyInUse` or `full`.
    public mutating func rotate(
        _ name: KeyName, to key: PublicKey, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> AdmissionOutcome {
        try ring.checkKnown(name, "rotate")
        if case .rotating(_, key) = ring.owner(of: name), let record = ring.activeRecord(key) {
            return .repeated(record.holder)
        }
        guard case .single(let old) = ring.owner(of: name), let role = ring.activeRecord(old)?.holder.role else {
            throw AccessError(
                .rotating, "rotate", "\(name)", "'\(name)' is changing its key already",
                remedy: "wait until its new key is used, or end the rotation first")
        }
        try ring.checkUnused(key, "rotate")
        try ring.checkRoom(limits.keys, "rotate", "\(name)")
        let holder = KeyHolder(name: name, role: role, key: key)
        insert(holder, Admission(means: .rotation, by: principal, at: now), rotatesFrom: old)
        return .admitted(holder)
    }

    /// Notes that a connection with this key works. If it is the new key of a rotation, the old one ends.
    /// - Returns: The holder whose key has ended; nil if the key is in no rotation, or is the old one.
    public mutating func confirmRotation(by key: PublicKey, at now: WallTime) -> KeyHolder? {
        guard let record = ring.activeRecord(key), let old = record.rotatesFrom else { return nil }
        return end(old, for: key, by: record.holder.principal, at: now)
    }

    /// Ends a rotation without waiting for the use of the new key.
    /// - Returns: The holder whose key has ended.
    /// - Throws: `notFound` or `notRotating`.
    public mutating func endRotation(
        of name: KeyName, keeping end: RotationEnd, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> KeyHolder {
        try ring.checkKnown(name, "end the rotation")
        if case .rotating(let old, let new) = ring.owner(of: name) {
            let ended =
                switch end {
                case .new: self.end(old, for: new, by: principal, at: now)
                case .old: self.end(new, for: nil, by: principal, at: now)
                }
            if let ended { return ended }
        }
        throw AccessError(
            .notRotating, "end the rotation", "\(name)", "'\(name)' has one key only", remedy: "there is nothing to end"
        )
    }

    private mutating func end(
        _ key: PublicKey, for replacement: PublicKey?, by principal: Principal, at now: WallTime
    ) -> KeyHolder? {
        let holder = ring.activeRecord(key)?.holder
        ring.revoke(key, Revocation(by: principal, at: now, replacement: replacement))
        sessionList.move(from: key, to: replacement)
        ring.forgetRevoked(beyond: limits.revokedKeys)
        storedRevision += 1
        return holder
    }
}

/// Joining by code.
extension KeyRegistry {
    /// Makes an invitation. A pending one of the same name is withdrawn, so that a lost code ends.
    /// - Parameter token: New and random.
    /// - Throws: `nameTaken`, `reservedName` or `full`.
    public mutating func invite(
        _ name: KeyName, role: Role, by principal: Principal, at now: WallTime, token: JoinToken
    ) throws(AccessError) -> IssuedInvitation {
        try ring.checkFree(name, "invite")
        try ring.checkRoom(limits.keys, "invite", "\(name)")
        let invitation = Invitation(token: token.hash, name: name, role: role, issuedBy: principal, issuedAt: now)
        let replaced = try invitationList.add(
            invitation, by: principal, at: now, openLimit: limits.openInvitations, limit: limits.invitations)
        storedRevision += 1
        return IssuedInvitation(invitation: invitation, token: token, replaced: replaced)
    }

    /// Withdraws the pending invitation of a name, whether its time has passed or not.
    /// - Throws: `notFound`.
    public mutating func withdrawInvitation(
        of name: KeyName, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> Invitation {
        let withdrawn = try invitationList.withdraw(name, by: principal, at: now)
        storedRevision += 1
        return withdrawn
    }

    /// Makes the expiry of invitations final whose time has passed or is in the future.
    /// - Returns: Those that have expired since the last call.
    public mutating func expireInvitations(at now: WallTime) -> [Invitation] {
        let expired = invitationList.expire(at: now)
        if !expired.isEmpty { storedRevision += 1 }
        return expired
    }

    /// Admits the key of a connection that presents a token.
    /// - Parameters:
    ///   - permit: That of this attempt. After success, the caller gives it back to its limiter.
    ///   - key: The connection's, of which CURVE has proved the possession.
    /// - Returns: `repeated` with the same admission if this key has redeemed the token before.
    /// - Throws: `unknownCode`, `expired`, `wrongClock`, `withdrawn`, `used`, `revoked`, `keyInUse`, `nameTaken`,
    ///   `reservedName` or `full`. The invitation is then as before.
    public mutating func redeem(
        _ token: JoinToken, for key: PublicKey, permit: AttemptPermit, at now: WallTime
    ) throws(AccessError) -> AdmissionOutcome {
        let (invitation, isRedeemed) = try invitationList.redeemable(token, by: key, at: now)
        guard !isRedeemed else { return .repeated(try admitted(key)) }
        try ring.checkAdmission(of: key, as: invitation.name, limit: limits.keys, "redeem")
        invitationList.redeem(token, by: key, at: now)
        let holder = KeyHolder(name: invitation.name, role: invitation.role, key: key)
        insert(holder, Admission(means: .invitation, by: invitation.issuedBy, at: now))
        return .admitted(holder)
    }

    /// The holder of a key that has redeemed its invitation, under its current name.
    private func admitted(_ key: PublicKey) throws(AccessError) -> KeyHolder {
        if let record = ring.record(key) {
            guard record.isActive else { throw KeyRing.revoked(record, "redeem") }
            return record.holder
        }
        throw AccessError(
            .revoked, "redeem", "\(key)", "key \(key) was revoked",
            remedy: "delete the key file on its machine, and join with another code, which makes another key")
    }
}

/// Joining by approval, for machines into which nothing can be pasted.
extension KeyRegistry {
    /// The fewest characters of a fingerprint with which a request is approved: 72 bits. With fewer, somebody could make
    /// a key whose fingerprint begins like the one that the admin reads.
    public static let approvalLength = 12

    /// Asks for admission, and for the answer. A machine repeats it until it is answered, and not more often than a
    /// permit of ``AttemptLimiter/interval`` allows.
    /// - Throws: `declined`, `revoked`, `nameTaken` or `reservedName`.
    public mutating func request(
        _ name: KeyName, role: Role, for key: PublicKey, permit: AttemptPermit, at now: WallTime
    ) throws(AccessError) -> RequestOutcome {
        if let record = ring.record(key) {
            guard record.isActive else { throw KeyRing.revoked(record, "request") }
            return .admitted(record.holder)
        }
        try joinRequests.checkNotDeclined(key)
        try ring.checkFree(name, "request")
        let request = JoinRequest(key: key, name: name, role: role, askedAt: now, source: permit.source)
        return .waiting(joinRequests.ask(request, limit: limits.requests))
    }

    /// Admits the key of a request, waiting or declined. The admin decides name and role, because a request may change
    /// after the admin has seen it.
    /// - Returns: `repeated` if the key was admitted before with this name and role.
    /// - Throws: `tooShort`, `notFound`, `ambiguous`, `nameTaken`, `reservedName` or `full`.
    public mutating func approve(
        _ prefix: FingerprintPrefix, as name: KeyName, role: Role, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> AdmissionOutcome {
        guard prefix.length >= Self.approvalLength else {
            throw AccessError(
                .tooShort, "approve", "\(prefix)",
                "\(prefix.length) characters of a fingerprint are too few to approve a "
                    + "key, because other keys can be made that begin alike",
                remedy: "write at least \(Self.approvalLength) of its characters, as the machine that joins shows them")
        }
        let isThis: (KeyHolder) -> Bool = { prefix.matches($0.key.fingerprint) && $0.role == role }
        if let holder = ring.activeHolders(of: name).first(where: isThis) {
            return .repeated(holder)
        }
        let key = try joinRequests.key(prefix, "approve")
        try ring.checkAdmission(of: key, as: name, limit: limits.keys, "approve")
        let holder = KeyHolder(name: name, role: role, key: key)
        insert(holder, Admission(means: .approval, by: principal, at: now))
        return .admitted(holder)
    }

    /// Declines a request. Its key is told so until the coordinator restarts or other requests displace it.
    /// - Throws: `notFound` or `ambiguous`.
    public mutating func decline(
        _ prefix: FingerprintPrefix, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> JoinRequest {
        try joinRequests.decline(prefix, by: principal, at: now)
    }

    /// Returns this registry with the requests of another state of it, but for those of keys that are known here.
    func adopting(requestsOf other: KeyRegistry) -> KeyRegistry {
        var adopted = self
        adopted.joinRequests = other.joinRequests
        for request in other.requests where ring.record(request.key) != nil {
            adopted.joinRequests.remove(request.key)
        }
        return adopted
    }
}

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
        let issued = try sessionList.issue(
            request, maker: maker, allowed: allowed, at: now, secret: secret, limits: limits)
        storedRevision += 1
        return issued
    }

    /// Makes the browser's session of a link, which ends.
    /// - Parameter secret: That of the session to be made, new and random.
    /// - Throws: `unknownCode` or `expired`.
    public mutating func redeemLink(
        _ link: SessionSecret, at now: WallTime, secret: SessionSecret
    ) throws(AccessError) -> IssuedSession {
        let issued = try sessionList.redeem(link, at: now, secret: secret, limit: limits.sessions)
        storedRevision += 1
        return issued
    }

    /// Ends a session.
    /// - Parameter maker: Only a session of this key; nil: any.
    /// - Throws: `notFound`.
    public mutating func endSession(_ id: SessionID, of maker: PublicKey?) throws(AccessError) -> Session {
        let ended = try sessionList.end(id, of: maker)
        storedRevision += 1
        return ended
    }

    /// Removes sessions that are no longer valid.
    /// - Returns: Those whose time has passed.
    public mutating func expireSessions(at now: WallTime) -> [Session] {
        let expired = sessionList.expire(at: now)
        if !expired.isEmpty { storedRevision += 1 }
        return expired
    }
}

extension AccessError {
    /// Several keys have a fingerprint that begins so.
    static func ambiguous(_ operation: String, _ text: String) -> AccessError {
        AccessError(
            .ambiguous, operation, text.excerpt,
            "several keys have a fingerprint that begins with "
                + "'\(text.excerpt)'",
            remedy: "write more of its characters")
    }
}

/// What a person's text selects.
public enum KeySelection: Hashable, Sendable {
    /// The keys of a name: two during a rotation.
    case name(KeyName)
    case key(PublicKey)
}
