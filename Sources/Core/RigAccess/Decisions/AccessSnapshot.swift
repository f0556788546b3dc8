public import CaptureModel
public import RigSecurity

/// The decisions about connections at one revision of the registry. Immutable, so that a handler on a thread of its own
/// decides while the core is busy. A decision is one look-up.
///
/// An agent makes one from the keys that the coordinator sends.
public struct AccessSnapshot: Hashable, Sendable {
    private enum Entry: Hashable {
        case active(KeyHolder)
        case revoked
    }

    public let revision: UInt64
    private let entries: [PublicKey: Entry]
    /// By the hash of the secret.
    private let sessions: [[UInt8]: Session]

    /// - Parameters:
    ///   - holders: The active keys; of several with one key the last counts.
    ///   - revoked: Keys that are refused even if they are among `holders`.
    ///   - sessions: Valid or not.
    public init(
        revision: UInt64, holders: some Sequence<KeyHolder>, revoked: some Sequence<PublicKey> = [],
        sessions: [Session] = []
    ) {
        self.revision = revision
        var entries: [PublicKey: Entry] = [:]
        for holder in holders { entries[holder.key] = .active(holder) }
        for key in revoked { entries[key] = .revoked }
        self.entries = entries
        self.sessions = Dictionary(sessions.map { ($0.secret.bytes, $0) }) { $1 }
    }

    /// Decides about a connection to a socket of a domain.
    public func decide(domain: AccessDomain, key: PublicKey) -> AccessDecision {
        if domain == .join { return .admit(.stranger(key)) }
        switch entries[key] {
        case .active(let holder): return domain.admits(holder.role) ? .admit(.holder(holder)) : .refuse(.notPermitted)
        case .revoked: return .refuse(.revoked)
        case nil: return .refuse(.unknown)
        }
    }

    /// Returns the active holder of a key, to authorize a message of an admitted connection.
    public func holder(of key: PublicKey) -> KeyHolder? {
        if case .active(let holder) = entries[key] { holder } else { nil }
    }

    /// Returns what a request with this secret may do; nil if no valid session of an active key has it, or only a sign-in link.
    public func grant(of secret: SessionSecret, at now: WallTime) -> SessionGrant? {
        guard let session = sessions[secret.hash.bytes], session.kind != .link, session.isValid(at: now),
            let holder = holder(of: session.maker)
        else { return nil }
        return SessionGrant(session: session, holder: holder)
    }

    /// Returns the active holder of a key, for a machine that asks about its own.
    /// - Throws: `revoked` or `notFound`.
    public func standing(of key: PublicKey) throws(AccessError) -> KeyHolder {
        switch entries[key] {
        case .active(let holder): return holder
        case .revoked:
            throw AccessError(
                .revoked, "connect", "\(key)", "key \(key) was revoked and is never accepted again",
                remedy: "delete the key file on this machine, and join with another code, which makes another key")
        case nil:
            throw AccessError(
                .notFound, "connect", "\(key)", "the rig does not know key \(key)",
                remedy:
                    "ask an admin of the rig for a code (`capctl node invite`, `capctl keys invite`), and join with it")
        }
    }

    /// Returns the holders whose connections a domain admits, in order of name. Of `frames`, these are the keys that
    /// agents need to know.
    public func holders(admittedTo domain: AccessDomain) -> [KeyHolder] {
        entries.values.compactMap { entry in
            guard case .active(let holder) = entry, domain.admits(holder.role) else { return nil }
            return holder
        }.sorted { ($0.name.rawValue, $0.key.base64) < ($1.name.rawValue, $1.key.base64) }
    }

    /// Returns the keys that an earlier snapshot admitted to a domain and this one does not. Their connections must end.
    /// None for `join`, which admits every key.
    public func endedAdmissions(to domain: AccessDomain, since earlier: AccessSnapshot) -> Set<PublicKey> {
        Set(
            earlier.entries.keys.filter { key in
                earlier.decide(domain: domain, key: key).isAdmission && !decide(domain: domain, key: key).isAdmission
            })
    }
}

extension AccessDecision {
    /// Whether the connection is admitted.
    public var isAdmission: Bool {
        if case .admit = self { true } else { false }
    }
}
