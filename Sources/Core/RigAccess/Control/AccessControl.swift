public import CaptureModel
internal import DequeModule
public import RigSecurity
public import StorageKit

internal import class PosixSupport.Locked

/// The owner of a rig's keys: applies one operation after the other to the ``KeyRegistry``, and lets none take effect
/// before it is durable.
///
/// | operation | recorded in the audit log | stored | takes effect | log fails | store fails |
/// |---|---|---|---|---|---|
/// | admits a key, makes or withdraws an invitation, makes a session, renames | first, durably | then | then | refused | refused, recorded as undone |
/// | revokes or replaces a key, ends a session | first, durably if the log can | then | then | carried out | refused, recorded as undone |
/// | asks, is declined, expires | without waiting | expiry only | at once | carried out | expiry: tried again |
///
/// So nobody is admitted without a record, and a broken log keeps no stolen key alive.
///
/// Connections are decided by ``snapshot``, which any thread reads without waiting. While the disk hangs, operations wait
/// here, at most ``waitingLimit``, and connections are decided as before.
///
/// The caller checks that `by` has the permission `admin`.
public actor AccessControl {
    /// The most operations that wait. Further ones are refused with `overloaded`.
    public static let waitingLimit = 64
    /// How often invitations are examined whose time may have passed.
    public static let expiryInterval = Duration.seconds(60)

    /// The registry as it is stored.
    public private(set) var registry: KeyRegistry
    /// Operations that were refused because too many waited.
    public private(set) var overloads: UInt64 = 0
    /// Attempts to join that the limiter has refused.
    public var refusedAttempts: UInt64 { limiter.refusedOfSource + limiter.refusedOverflow }
    /// The newest snapshot after each change. Only one task may follow it; it misses none but those that a newer one
    /// replaces.
    public nonisolated let changes: AsyncStream<AccessSnapshot>

    private var limiter = AttemptLimiter()
    private var isChanging = false
    private var waiting: Deque<CheckedContinuation<Void, Never>> = []
    private let store: any DocumentStore<[UInt8]>
    private let audit: any AccessAudit
    private nonisolated let clock: any TimeSource
    private nonisolated let published: Locked<AccessSnapshot>
    private nonisolated let change: AsyncStream<AccessSnapshot>.Continuation

    /// Reads the stored registry; an empty one if none was ever stored.
    /// - Throws: `damagedDocument`, `newerDocument`, or `notStored` if it cannot be read.
    public init(
        store: any DocumentStore<[UInt8]>, audit: any AccessAudit, clock: any TimeSource,
        limits: KeyRegistry.Limits = KeyRegistry.Limits()
    ) async throws(AccessError) {
        let document: [UInt8]?
        do {
            document = try await store.read()
        } catch {
            throw AccessError(
                .notStored, "read", error.subject, error.cause, remedy: "then start the coordinator again")
        }
        let registry =
            try document.map { bytes throws(AccessError) in
                try KeyRegistryDocument.decode(bytes, limits: limits)
            } ?? KeyRegistry(limits: limits)
        self.registry = registry
        self.store = store
        self.audit = audit
        self.clock = clock
        published = Locked(registry.snapshot())
        (changes, change) = AsyncStream.makeStream(of: AccessSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The decisions of now. Never waits.
    public nonisolated var snapshot: AccessSnapshot { published.withLock(\.self) }

    /// Has invitations expire until the task is cancelled.
    public func run() async {
        repeat {
            // A store that fails is asked again in a minute; until then, time refuses the invitations as well.
            _ = try? await expireInvitations()
        } while (try? await clock.sleep(for: Self.expiryInterval)) != nil
    }
}

/// Operations of admins and of the coordinator.
///
/// Those of admins take a condition. Nothing changes the keys, invitations and sessions between its evaluation and the change.
extension AccessControl {
    /// Whether the registry, at this time, is one that the admin knows; if not, the operation is refused with `preconditionFailed`.
    public typealias Condition = @Sendable (KeyRegistry, WallTime) throws(AccessError) -> Bool

    /// Admits a key directly. See ``KeyRegistry/admit(_:as:role:by:at:)``.
    public func admit(
        _ key: PublicKey, as name: KeyName, role: Role, by principal: Principal
    ) async throws(AccessError) -> AdmissionOutcome {
        try await perform { registry, now throws(AccessError) in
            let outcome = try registry.admit(key, as: name, role: role, by: principal, at: now)
            return (outcome, registry.event(of: outcome))
        }
    }

    /// Makes an invitation. See ``KeyRegistry/invite(_:role:by:at:token:)``.
    public func invite(
        _ name: KeyName, role: Role, by principal: Principal, if condition: Condition? = nil
    ) async throws(AccessError) -> IssuedInvitation {
        try await perform(if: condition) { registry, now throws(AccessError) in
            let issued = try registry.invite(name, role: role, by: principal, at: now, token: JoinToken())
            return (issued, .invited(issued.invitation))
        }
    }

    public func withdrawInvitation(
        of name: KeyName, by principal: Principal, if condition: Condition? = nil
    ) async throws(AccessError) -> Invitation {
        try await perform(if: condition) { registry, now throws(AccessError) in
            let withdrawn = try registry.withdrawInvitation(of: name, by: principal, at: now)
            return (withdrawn, .withdrawn(withdrawn, by: principal))
        }
    }

    /// Admits the key of a request. See ``KeyRegistry/approve(_:as:role:by:at:)``.
    public func approve(
        _ prefix: FingerprintPrefix, as name: KeyName, role: Role, by principal: Principal,
        if condition: Condition? = nil
    ) async throws(AccessError) -> AdmissionOutcome {
        try await perform(if: condition) { registry, now throws(AccessError) in
            let outcome = try registry.approve(prefix, as: name, role: role, by: principal, at: now)
            return (outcome, registry.event(of: outcome))
        }
    }

    public func decline(
        _ prefix: FingerprintPrefix, by principal: Principal, if condition: Condition? = nil
    ) async throws(AccessError) -> JoinRequest {
        try await perform(if: condition) { registry, now throws(AccessError) in
            let request = try registry.decline(prefix, by: principal, at: now)
            return (request, .declined(request, by: principal))
        }
    }

    /// Revokes the keys that a name, or the beginning of a fingerprint, selects.
    /// - Returns: The holders whose keys were active.
    public func revoke(
        _ text: String, by principal: Principal, if condition: Condition? = nil
    ) async throws(AccessError) -> [KeyHolder] {
        try await perform(.evenUnrecorded, if: condition) { registry, now throws(AccessError) in
            let ended = try registry.revoke(try registry.select(text), by: principal, at: now)
            return (ended, ended.isEmpty ? nil : .revoked(ended, by: principal))
        }
    }

    public func rename(
        _ old: KeyName, to new: KeyName, by principal: Principal, if condition: Condition? = nil
    ) async throws(AccessError) -> [KeyHolder] {
        try await perform(if: condition) { registry, _ throws(AccessError) in
            let holders = try registry.rename(old, to: new)
            return (holders, old == new ? nil : .renamed(holders, from: old, by: principal))
        }
    }

    /// Begins a rotation. See ``KeyRegistry/rotate(_:to:by:at:)``.
    public func rotate(
        _ name: KeyName, to key: PublicKey, by principal: Principal
    ) async throws(AccessError) -> AdmissionOutcome {
        try await perform { registry, now throws(AccessError) in
            let outcome = try registry.rotate(name, to: key, by: principal, at: now)
            return (outcome, registry.event(of: outcome))
        }
    }

    /// Ends a rotation. See ``KeyRegistry/endRotation(of:keeping:by:at:)``.
    public func endRotation(
        of name: KeyName, keeping end: KeyRegistry.RotationEnd, by principal: Principal
    ) async throws(AccessError) -> KeyHolder {
        try await perform(.evenUnrecorded) { registry, now throws(AccessError) in
            let ended = try registry.endRotation(of: name, keeping: end, by: principal, at: now)
            return (ended, .replaced(ended, by: principal))
        }
    }

    /// Notes that a connection with this key works, which ends the rotation that it belongs to. Costs nothing otherwise.
    public func confirmRotation(by key: PublicKey) async throws(AccessError) {
        guard registry.record(of: key)?.rotatesFrom != nil else { return }
        try await perform(.evenUnrecorded) { registry, now throws(AccessError) in
            let ended = registry.confirmRotation(by: key, at: now)
            return ((), ended.map { .replaced($0, by: $0.principal) })
        }
    }

    /// Makes a link or a token. See ``KeyRegistry/issueSession(_:maker:allowed:at:secret:)``.
    public func issueSession(
        _ request: KeyRegistry.SessionRequest, maker: PublicKey, allowed: Set<Permission>, by principal: Principal
    ) async throws(AccessError) -> IssuedSession {
        try await perform { registry, now throws(AccessError) in
            let issued = try registry.issueSession(
                request, maker: maker, allowed: allowed, at: now, secret: SessionSecret())
            return (issued, .sessionBegun(issued.session, by: principal))
        }
    }

    /// Makes the browser's session of a link. See ``KeyRegistry/redeemLink(_:at:secret:)``. A wrong secret is refused without waiting for the
    /// disk.
    public func redeemLink(_ link: SessionSecret) async throws(AccessError) -> IssuedSession {
        var trial = registry
        _ = try trial.redeemLink(link, at: wallTime, secret: SessionSecret())
        return try await perform { registry, now throws(AccessError) in
            let issued = try registry.redeemLink(link, at: now, secret: SessionSecret())
            let maker = registry.record(of: issued.session.maker)?.holder.principal
            return (issued, .sessionBegun(issued.session, by: maker ?? .unnamed))
        }
    }

    /// Ends a session. See ``KeyRegistry/endSession(_:of:)``.
    public func endSession(
        _ id: SessionID, of maker: PublicKey?, by principal: Principal
    ) async throws(AccessError) -> Session {
        try await perform(.evenUnrecorded) { registry, _ throws(AccessError) in
            let ended = try registry.endSession(id, of: maker)
            return (ended, .sessionEnded(ended, by: principal))
        }
    }

    func expireInvitations() async throws(AccessError) {
        try await perform(.evenUnrecorded) { [audit] registry, now throws(AccessError) in
            for expired in registry.expireInvitations(at: now) { audit.record(.expired(expired)) }
            _ = registry.expireSessions(at: now)
            return ((), nil)
        }
    }
}

/// Operations of strangers, on the join socket.
extension AccessControl {
    /// Admits the key of a connection that presents a token. A wrong token is refused without waiting for the disk.
    /// - Parameters:
    ///   - key: The connection's, of which CURVE has proved the possession.
    ///   - address: The peer's; nil if it is not known.
    /// - Throws: What ``KeyRegistry/redeem(_:for:permit:at:)`` throws, `tooManyAttempts`, `overloaded`, `notRecorded` or
    ///   `notStored`.
    public func redeem(
        _ token: JoinToken, for key: PublicKey, from address: IPAddress?
    ) async throws(AccessError) -> AdmissionOutcome {
        let permit = try limiter.attempt(from: address, at: clock.now())
        var trial = registry
        _ = try trial.redeem(token, for: key, permit: permit, at: wallTime)
        let outcome = try await perform { registry, now throws(AccessError) in
            let outcome = try registry.redeem(token, for: key, permit: permit, at: now)
            return (outcome, registry.event(of: outcome))
        }
        limiter.giveBack(permit)
        return outcome
    }

    /// Asks for admission by approval. See ``KeyRegistry/request(_:role:for:permit:at:)``.
    public func request(
        _ name: KeyName, role: Role, for key: PublicKey, from address: IPAddress?
    ) throws(AccessError) -> RequestOutcome {
        let permit = try limiter.attempt(from: address, at: clock.now())
        let isNew = !registry.requests.contains { $0.key == key }
        let outcome = try registry.request(name, role: role, for: key, permit: permit, at: wallTime)
        if isNew, case .waiting(let request) = outcome { audit.record(.requested(request)) }
        return outcome
    }
}

/// One operation after the other, each durable before it takes effect.
extension AccessControl {
    /// Whether an operation depends on its record.
    private enum Recording {
        /// It is refused if it cannot be recorded.
        case required
        /// It is carried out even if it cannot be recorded.
        case evenUnrecorded
    }

    private var wallTime: WallTime { WallTime(nanoseconds: clock.wallClockPair().realtimeNanoseconds) }

    /// Applies an operation to a copy of the registry, records and stores it, and lets it take effect.
    /// - Parameters:
    ///   - condition: Evaluated first. nil: the registry may be any.
    ///   - operation: Returns its result, and what to record; nil if nothing has changed.
    private func perform<Value: Sendable>(
        _ recording: Recording = .required, if condition: Condition? = nil,
        _ operation: (inout KeyRegistry, WallTime) throws(AccessError) -> (Value, AccessEvent?)
    ) async throws(AccessError) -> Value {
        try await begin()
        defer { end() }
        let now = wallTime
        if let condition, try !condition(registry, now) {
            throw AccessError(
                .preconditionFailed, "change", "registry of keys",
                "the keys of the rig have changed since they were read, so nothing was changed",
                remedy: "list them again, and decide on what they are then")
        }
        var changed = registry
        let (value, event) = try operation(&changed, now)
        guard changed.revision != registry.revision else {
            // Requests are only in memory.
            registry = changed
            if let event { audit.record(event) }
            return value
        }
        if let event { try await commit(event, recording) }
        try await write(changed, event)
        adopt(changed)
        return value
    }

    private func commit(_ event: AccessEvent, _ recording: Recording) async throws(AccessError) {
        do {
            try await audit.commit(event)
        } catch {
            guard recording == .required else { return audit.record(event) }
            throw AccessError(
                .notRecorded, "record", "audit log",
                "nothing was changed, because the audit log does not work: \(error)",
                remedy: "mend it, and repeat the command")
        }
    }

    private func write(_ changed: KeyRegistry, _ event: AccessEvent?) async throws(AccessError) {
        do {
            try await store.replace(with: try KeyRegistryDocument.encoded(changed))
        } catch {
            if let event { audit.record(.undone(event, reason: "\(error)")) }
            guard let error = error as? StorageError else { throw error as? AccessError ?? .notStored("\(error)") }
            throw .notStored(error.cause)
        }
    }

    /// Lets a stored registry take effect. Requests may have been added while it was written.
    private func adopt(_ changed: KeyRegistry) {
        registry = changed.adopting(requestsOf: registry)
        let snapshot = registry.snapshot()
        published.withLock { $0 = snapshot }
        change.yield(snapshot)
    }

    private func begin() async throws(AccessError) {
        guard isChanging else { return isChanging = true }
        guard waiting.count < Self.waitingLimit else {
            overloads += 1
            throw AccessError(
                .overloaded, "change", "registry of keys",
                "\(Self.waitingLimit) changes of keys wait for the coordinator's disk", remedy: "wait, and try again",
                retryAfter: .seconds(1))
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func end() {
        guard let next = waiting.popFirst() else { return isChanging = false }
        next.resume()
    }
}

extension AccessError {
    fileprivate static func notStored(_ cause: String) -> AccessError {
        AccessError(
            .notStored, "store", "registry of keys", "nothing was changed, because the keys cannot be stored: \(cause)",
            remedy: "mend it, and repeat the command")
    }
}

extension KeyRegistry {
    /// What to record of an admission; nil if the key was admitted before.
    fileprivate func event(of outcome: AdmissionOutcome) -> AccessEvent? {
        guard case .admitted(let holder) = outcome, let record = record(of: holder.key) else { return nil }
        return .admitted(holder, record.admission)
    }
}
