package import CaptureModel
package import RigAccess
package import RigSecurity
import ShotDocuments

/// A command about the keys of the rig.
package enum KeyCommand: Hashable, Sendable {
    case invite(KeyName, Role)
    case withdraw(KeyName)
    case approve(FingerprintPrefix, as: KeyName, Role)
    case decline(FingerprintPrefix)
    /// A name, or the beginning of a fingerprint.
    case revoke(String)
    case rename(KeyName, to: KeyName)
    /// Replaces the coordinator's own key. See ``CoordinatorKey/rotate(from:isCompromised:by:)``.
    case rotate(from: PublicKey, isCompromised: Bool)
    case endRotation
    /// Exports the coordinator's key pair and the registry, encrypted with a passphrase.
    case export(passphrase: String)
    /// Makes a sign-in link or a token.
    case issueSession(KeyRegistry.SessionRequest)
    case redeemLink(SessionSecret)
    case endSession(SessionID)

    /// Whether it changes what ``KeyListing/version`` is about, and no more.
    var isVersioned: Bool {
        switch self {
        case .invite, .withdraw, .approve, .decline, .revoke, .rename: true
        case .rotate, .endRotation, .export, .issueSession, .redeemLink, .endSession: false
        }
    }

    /// What it is about, for the log.
    var subject: String {
        switch self {
        case .invite(let name, _), .withdraw(let name), .approve(_, let name, _), .rename(let name, _): "\(name)"
        case .decline(let fingerprint): "\(fingerprint)"
        case .revoke(let text): text
        case .rotate, .endRotation, .export: Principal.coordinator.name
        case .issueSession(let request): request.label
        case .redeemLink: "a sign-in link"
        case .endSession(let id): "\(id)"
        }
    }
}

/// The keys of a rig, with what is pending.
package struct KeyListing: Sendable {
    /// Active keys by name, then revoked keys.
    package var keys: [KeyRecord]
    package var invitations: [Invitation]
    package var requests: [JoinRequest]
    /// The coordinator's wall clock.
    package var now: WallTime
    /// Increases with each change.
    package var revision: UInt64
    /// nil unless the coordinator's own key is being replaced.
    package var rotation: KeyRotationStatus?
    /// Differs whenever the listing does.
    package var version: ContentDigest
}

/// The keys of a rig as front ends change them, and how machines find the coordinator to join.
package struct RigKeys: Sendable {
    private let access: AccessControl
    private let coordinator: any CoordinatorKey
    private let rig: RigName
    private let endpoints: @Sendable () throws(RigProblem) -> [JoinEndpoint]
    private let clock: any TimeSource

    /// - Parameters:
    ///   - coordinator: The coordinator's own key.
    ///   - endpoints: The endpoints of the join socket that other machines reach now, for join codes.
    package init(
        access: AccessControl, coordinator: any CoordinatorKey, rig: RigName, clock: any TimeSource,
        endpoints: @escaping @Sendable () throws(RigProblem) -> [JoinEndpoint]
    ) {
        self.access = access
        self.coordinator = coordinator
        self.rig = rig
        self.clock = clock
        self.endpoints = endpoints
    }

    /// - Throws: `unsupportedSettings` for a coordinator without keys.
    static func required(_ keys: RigKeys?) throws(RigProblem) -> RigKeys {
        guard let keys else { throw withoutKeys }
        return keys
    }

    private static let withoutKeys = RigProblem(
        .unsupportedSettings, "this coordinator runs without keys, so there are none to list or to change")

    func listing() async throws(RigProblem) -> KeyListing {
        let (registry, rotation) = (await access.registry, coordinator.rotation)
        let now = WallTime(nanoseconds: clock.wallClockPair().realtimeNanoseconds)
        do {
            return KeyListing(
                keys: registry.keys, invitations: registry.invitations, requests: registry.requests, now: now,
                revision: registry.revision, rotation: rotation,
                version: try Self.version(of: registry, rotation, at: now))
        } catch {
            throw RigProblem(error)
        }
    }

    /// The version of a listing: a digest of the stored registry and of what is shown beside it.
    private static func version(
        of registry: KeyRegistry, _ rotation: KeyRotationStatus?, at now: WallTime
    ) throws(AccessError) -> ContentDigest {
        var parts = ["\(ContentDigest(hashing: try KeyRegistryDocument.encoded(registry)))"]
        // Time changes the state of an invitation.
        parts += registry.invitations.map { "\($0.status(at: now))" }
        parts += registry.requests.map {
            "request \($0.key.base64) \($0.name) \($0.role.rawValue) \($0.askedAt.nanoseconds) \($0.state == .waiting)"
        }
        if let rotation {
            parts += ["rotation \(rotation.new.base64) \(rotation.old.base64) \(rotation.isOldServed)"]
            parts += rotation.unconfirmed.map { "\($0.key.base64) \($0.name) \($0.role.rawValue)" }
        }
        return ContentDigest(hashing: parts)
    }

    /// Has ``AccessControl`` compare the listing when it changes the registry. It says nothing of a replacement of the coordinator's own key that
    /// begins or ends during the change, which none of these commands changes.
    private func evaluated(_ condition: ChangeCondition?) -> AccessControl.Condition? {
        guard let condition else { return nil }
        return { [coordinator] (registry, now) throws(AccessError) in
            condition.holds(for: try Self.version(of: registry, coordinator.rotation, at: now))
        }
    }

    /// The sessions that a requester may see, with their makers. An administrator sees those of all keys.
    func sessions(of requester: Requester) async -> [SessionGrant] {
        let registry = await access.registry
        return registry.sessions.compactMap { session in
            guard requester.permissions.contains(.admin) || session.maker == requester.key else { return nil }
            return registry.record(of: session.maker).map { SessionGrant(session: session, holder: $0.holder) }
        }
    }

    /// - Parameter condition: Compared with ``KeyListing/version``; nil: the keys may be any. Only for a command that ``KeyCommand/isVersioned``.
    func carryOut(
        _ command: KeyCommand, by requester: Requester, if condition: ChangeCondition? = nil
    ) async throws(RigProblem) -> RigAnswer {
        let (principal, isExpected) = (requester.principal, evaluated(condition))
        if case .invite(let name, let role) = command {
            return try await invite(name, role, by: principal, if: isExpected)
        }
        do {
            switch command {
            case .invite(let name, _), .withdraw(let name):
                return .withdrawn(try await access.withdrawInvitation(of: name, by: principal, if: isExpected))
            case .approve(let fingerprint, let name, let role):
                let approved = try await access.approve(
                    fingerprint, as: name, role: role, by: principal, if: isExpected)
                return .holders([approved.holder])
            case .decline(let fingerprint):
                return .declined(try await access.decline(fingerprint, by: principal, if: isExpected))
            case .revoke(let text):
                return .holders(try await access.revoke(text, by: principal, if: isExpected))
            case .rename(let old, let new):
                return .holders(try await access.rename(old, to: new, by: principal, if: isExpected))
            case .rotate(let from, let isCompromised):
                return .rotation(
                    try await coordinator.rotate(from: from, isCompromised: isCompromised, by: principal))
            case .endRotation: return .rotation(try await coordinator.endRotation(by: principal))
            case .export(let passphrase):
                return .exported(try await coordinator.export(passphrase: passphrase, by: principal))
            case .issueSession(let request):
                guard let key = requester.key else { throw Self.withoutKeys }
                // Otherwise a session could outlast itself.
                guard requester.forwarding == nil else {
                    throw RigProblem(
                        .notPermitted, "a session makes no further one; make it with a key: capctl web token")
                }
                return .session(
                    try await access.issueSession(request, maker: key, allowed: requester.permissions, by: principal))
            case .redeemLink(let link): return .session(try await access.redeemLink(link))
            case .endSession(let id):
                // A session that leaked ends no other.
                if let own = requester.forwarding?.session.id, own != id, !requester.permissions.contains(.admin) {
                    throw RigProblem(
                        .notPermitted,
                        "a session ends itself only; end others with the key: capctl web end \(id)")
                }
                let maker = requester.permissions.contains(.admin) ? nil : requester.key
                return .sessionEnded(try await access.endSession(id, of: maker, by: principal))
            }
        } catch let error as AccessError {
            throw RigProblem(error)
        } catch {
            throw error as? RigProblem ?? RigProblem(.inputOutput, "\(error)")
        }
    }

    /// Tries first whether a code can be made of these endpoints, so that none is left of an invitation without a code.
    private func invite(
        _ name: KeyName, _ role: Role, by principal: Principal, if isExpected: AccessControl.Condition?
    ) async throws(RigProblem) -> RigAnswer {
        let endpoints = try endpoints()
        let code: (JoinToken) throws(SecurityError) -> JoinCode = { [self] token throws(SecurityError) in
            try JoinCode(
                endpoints: endpoints, coordinator: coordinator.publicKey, token: token, name: name, role: role, rig: rig
            )
        }
        do {
            _ = try code(JoinToken())
            let issued = try await access.invite(name, role: role, by: principal, if: isExpected)
            return .invitation(issued.invitation, code: try code(issued.token))
        } catch let error as AccessError {
            throw RigProblem(error)
        } catch {
            throw RigProblem(.unsupportedSettings, "no join code can be made: \(error)")
        }
    }
}

extension RigProblem {
    /// Why keys were not changed.
    init(_ error: AccessError) {
        let code: Code =
            switch error.code {
            case .notStored, .notRecorded, .damagedDocument, .newerDocument, .unencodable: .inputOutput
            case .full, .overloaded, .tooManyAttempts: .noMemory
            case .unknownCode, .expired, .wrongClock, .withdrawn, .used, .revoked, .keyInUse, .nameTaken, .reservedName,
                .declined, .notFound, .ambiguous, .tooShort, .rotating, .notRotating, .lastAdmin:
                .conflict
            case .preconditionFailed: .preconditionFailed
            case .notHeld: .notPermitted
            case .badSession: .unsupportedSettings
            }
        self.init(code, error.description)
    }
}
