public import CaptureModel
public import RigSecurity

/// The right of whoever has a secret to make requests through a gateway in the name of a key's holder.
///
/// | kind | made by | ends |
/// |---|---|---|
/// | `link` | a holder, for one sign-in | when it is redeemed, or after ``linkValidity`` |
/// | `browser` | redeeming a link | after the validity that the link names, or when it is ended |
/// | `token` | a holder, for a script | after its validity, or when it is ended |
///
/// A session belongs to the key of its maker and never may more than that key: a key that is revoked takes its sessions with
/// it. A request may what the session, the maker's role and the gateway's role all permit.
public struct Session: Hashable, Sendable {
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// A sign-in that nobody has made yet. It permits nothing itself.
        case link
        case browser
        case token
    }

    /// How long a link can be redeemed.
    public static let linkValidity = Duration.seconds(600)
    /// How long a browser's session or a token may be valid.
    public static let validities: ClosedRange<Duration> = .seconds(60) ... .seconds(400 * 86_400)
    /// The bytes of a label.
    public static let labelByteCounts = 1...64
    /// How far the clock may go back after a session was made, as when it is corrected.
    static let clockTolerance = Duration.seconds(60)

    let secret: TokenHash
    public let kind: Kind
    /// What the maker calls it, such as `wall display`.
    public let label: String
    /// The key of its maker.
    public internal(set) var maker: PublicKey
    public let permissions: Set<Permission>
    public let issuedAt: WallTime
    /// The first instant at which it is no longer valid.
    public let expiresAt: WallTime
    /// Of a link: how long the browser's session is valid that it makes.
    let grants: Duration?

    public var id: SessionID { SessionID(of: secret) }

    /// Whether it is valid at an instant. It is not while the clock is before its issue: a clock that was set back makes no ended session
    /// valid again.
    public func isValid(at now: WallTime) -> Bool {
        now >= issuedAt - Self.clockTolerance && now < expiresAt
    }
}

/// Hashed and compared by the secret's hash, which is public.
extension Session {
    public static func == (left: Self, right: Self) -> Bool {
        left.secret == right.secret && left.kind == right.kind && left.label == right.label && left.maker == right.maker
            && left.permissions == right.permissions && left.issuedAt == right.issuedAt
            && left.expiresAt == right.expiresAt
            && left.grants == right.grants
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(secret.bytes) }
}

/// A session that was just made, with the only copy of its secret.
public struct IssuedSession: Sendable {
    public let session: Session
    public let secret: SessionSecret
}

/// What a request with a valid session may do, and in whose name.
public struct SessionGrant: Hashable, Sendable {
    public let session: Session
    /// The maker, with the key's name and role of now.
    public let holder: KeyHolder

    public init(session: Session, holder: KeyHolder) {
        self.session = session
        self.holder = holder
    }

    /// What session and role both permit.
    public var permissions: Set<Permission> { session.permissions.intersection(holder.role.permissions) }
}
