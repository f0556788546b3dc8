internal import CaptureModel
internal import RigSecurity

/// The members of a ``KeyRegistryDocument``, apart from the values that programs compute with.
struct RegistryContent: Codable {
    var schemaVersion = KeyRegistryDocument.currentSchemaVersion
    var revision: UInt64
    var keys: [KeyContent]
    var invitations: [InvitationContent]
    /// nil if there are none.
    var sessions: [SessionContent]?

    init(_ registry: KeyRegistry) {
        revision = registry.revision
        keys = registry.keys.map(KeyContent.init)
        invitations = registry.invitations.map(InvitationContent.init)
        sessions = registry.sessions.isEmpty ? nil : registry.sessions.map(SessionContent.init)
    }
}

/// A known key.
struct KeyContent: Codable {
    struct Revoked: Codable {
        var by: PrincipalContent
        var atNanoseconds: Int64
        var replacement: PublicKey?
    }

    var key: PublicKey
    var name: KeyName
    var role: Role
    var admittedBy: PrincipalContent
    var admittedAtNanoseconds: Int64
    var means: Admission.Means
    var rotatesFrom: PublicKey?
    var revoked: Revoked?

    init(_ record: KeyRecord) {
        key = record.holder.key
        name = record.holder.name
        role = record.holder.role
        admittedBy = PrincipalContent(record.admission.by)
        admittedAtNanoseconds = record.admission.at.nanoseconds
        means = record.admission.means
        rotatesFrom = record.rotatesFrom
        if case .revoked(let revocation) = record.state {
            revoked = Revoked(
                by: PrincipalContent(revocation.by), atNanoseconds: revocation.at.nanoseconds,
                replacement: revocation.replacement)
        }
    }

    var record: KeyRecord {
        get throws(KeyRing.BrokenRule) {
            var record = KeyRecord(
                holder: KeyHolder(name: name, role: role, key: key),
                admission: Admission(
                    means: means, by: try admittedBy.principal, at: WallTime(nanoseconds: admittedAtNanoseconds)))
            record.rotatesFrom = rotatesFrom
            if let revoked {
                record.state = .revoked(
                    Revocation(
                        by: try revoked.by.principal, at: WallTime(nanoseconds: revoked.atNanoseconds),
                        replacement: revoked.replacement))
            }
            guard rotatesFrom == nil || revoked == nil else {
                throw KeyRing.BrokenRule("key \(key) is revoked and replaces another")
            }
            return record
        }
    }
}

/// An invitation.
struct InvitationContent: Codable {
    struct Redeemed: Codable {
        var by: PublicKey
        var atNanoseconds: Int64
    }

    struct Expired: Codable {
        var isWrongClock: Bool
    }

    struct Withdrawn: Codable {
        var by: PrincipalContent
        var atNanoseconds: Int64
    }

    var tokenHash: TokenHash
    var name: KeyName
    var role: Role
    var issuedBy: PrincipalContent
    var issuedAtNanoseconds: Int64
    var redeemed: Redeemed?
    var withdrawn: Withdrawn?
    var expired: Expired?

    init(_ invitation: Invitation) {
        tokenHash = invitation.token
        name = invitation.name
        role = invitation.role
        issuedBy = PrincipalContent(invitation.issuedBy)
        issuedAtNanoseconds = invitation.issuedAt.nanoseconds
        switch invitation.outcome {
        case .pending: break
        case .redeemed(let key, let time): redeemed = Redeemed(by: key, atNanoseconds: time.nanoseconds)
        case .withdrawn(let principal, let time):
            withdrawn = Withdrawn(by: PrincipalContent(principal), atNanoseconds: time.nanoseconds)
        case .expired(let isWrongClock): expired = Expired(isWrongClock: isWrongClock)
        }
    }

    var invitation: Invitation {
        get throws(KeyRing.BrokenRule) {
            var invitation = Invitation(
                token: tokenHash, name: name, role: role, issuedBy: try issuedBy.principal,
                issuedAt: WallTime(nanoseconds: issuedAtNanoseconds))
            switch (redeemed, withdrawn, expired) {
            case (nil, nil, nil): break
            case (nil, nil, let expired?): invitation.outcome = .expired(isWrongClock: expired.isWrongClock)
            case (let redeemed?, nil, nil):
                invitation.outcome = .redeemed(
                    by: redeemed.by, at: WallTime(nanoseconds: redeemed.atNanoseconds))
            case (nil, let withdrawn?, nil):
                invitation.outcome = .withdrawn(
                    by: try withdrawn.by.principal, at: WallTime(nanoseconds: withdrawn.atNanoseconds))
            default: throw KeyRing.BrokenRule("an invitation for '\(name)' has more than one outcome")
            }
            return invitation
        }
    }
}

/// A session.
struct SessionContent: Codable {
    var secretHash: TokenHash
    var kind: Session.Kind
    var label: String
    var maker: PublicKey
    var permissions: [Permission]
    var issuedAtNanoseconds: Int64
    var expiresAtNanoseconds: Int64
    var grantsNanoseconds: Int64?

    init(_ session: Session) {
        secretHash = session.secret
        kind = session.kind
        label = session.label
        maker = session.maker
        permissions = Permission.allCases.filter(session.permissions.contains)
        issuedAtNanoseconds = session.issuedAt.nanoseconds
        expiresAtNanoseconds = session.expiresAt.nanoseconds
        grantsNanoseconds = session.grants?.nanoseconds
    }

    var session: Session {
        get throws(KeyRing.BrokenRule) {
            guard (kind == .link) == (grantsNanoseconds != nil) else {
                throw KeyRing.BrokenRule("a session is a link without a grant, or has one and is none")
            }
            return Session(
                secret: secretHash, kind: kind, label: label, maker: maker, permissions: Set(permissions),
                issuedAt: WallTime(nanoseconds: issuedAtNanoseconds),
                expiresAt: WallTime(nanoseconds: expiresAtNanoseconds),
                grants: grantsNanoseconds.map { .nanoseconds($0) })
        }
    }
}

/// Who did something.
struct PrincipalContent: Codable {
    var name: String
    var isAuthenticated: Bool

    init(_ principal: Principal) {
        name = principal.name
        isAuthenticated = principal.isAuthenticated
    }

    var principal: Principal {
        get throws(KeyRing.BrokenRule) {
            guard let principal = Principal(recorded: name, isAuthenticated: isAuthenticated) else {
                throw KeyRing.BrokenRule("it names somebody in a form that is not allowed")
            }
            return principal
        }
    }
}
