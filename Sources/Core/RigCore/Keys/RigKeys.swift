package import CaptureModel
package import RigAccess
package import RigSecurity

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

    /// What it is about, for the log.
    var subject: String {
        switch self {
        case .invite(let name, _), .withdraw(let name), .approve(_, let name, _), .rename(let name, _): "\(name)"
        case .decline(let fingerprint): "\(fingerprint)"
        case .revoke(let text): text
        case .rotate, .endRotation, .export: Principal.coordinator.name
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
}

/// The keys of a rig as front ends change them, and how machines find the coordinator to join.
package struct RigKeys: Sendable {
    private let access: AccessControl
    private let coordinator: any CoordinatorKey
    private let rig: RigName
    private let endpoints: @Sendable () throws(CaptureProblem) -> [JoinEndpoint]
    private let clock: any TimeSource

    /// - Parameters:
    ///   - coordinator: The coordinator's own key.
    ///   - endpoints: The endpoints of the join socket that other machines reach now, for join codes.
    package init(
        access: AccessControl, coordinator: any CoordinatorKey, rig: RigName, clock: any TimeSource,
        endpoints: @escaping @Sendable () throws(CaptureProblem) -> [JoinEndpoint]
    ) {
        self.access = access
        self.coordinator = coordinator
        self.rig = rig
        self.clock = clock
        self.endpoints = endpoints
    }

    /// - Throws: `unsupportedSettings` for a coordinator without keys.
    static func required(_ keys: RigKeys?) throws(CaptureProblem) -> RigKeys {
        guard let keys else {
            throw CaptureProblem(
                .unsupportedSettings, "this coordinator runs without keys, so there are none to list or to change")
        }
        return keys
    }

    func listing() async -> KeyListing {
        let registry = await access.registry
        return KeyListing(
            keys: registry.keys, invitations: registry.invitations, requests: registry.requests,
            now: WallTime(nanoseconds: clock.wallClockPair().realtimeNanoseconds), revision: registry.revision,
            rotation: coordinator.rotation)
    }

    func carryOut(_ command: KeyCommand, by principal: Principal) async throws(CaptureProblem) -> RigAnswer {
        if case .invite(let name, let role) = command { return try await invite(name, role, by: principal) }
        do {
            switch command {
            case .invite(let name, _), .withdraw(let name):
                return .withdrawn(try await access.withdrawInvitation(of: name, by: principal))
            case .approve(let fingerprint, let name, let role):
                return .holders([try await access.approve(fingerprint, as: name, role: role, by: principal).holder])
            case .decline(let fingerprint):
                return .declined(try await access.decline(fingerprint, by: principal))
            case .revoke(let text): return .holders(try await access.revoke(text, by: principal))
            case .rename(let old, let new): return .holders(try await access.rename(old, to: new, by: principal))
            case .rotate(let from, let isCompromised):
                return .rotation(
                    try await coordinator.rotate(from: from, isCompromised: isCompromised, by: principal))
            case .endRotation: return .rotation(try await coordinator.endRotation(by: principal))
            case .export(let passphrase):
                return .exported(try await coordinator.export(passphrase: passphrase, by: principal))
            }
        } catch let error as AccessError {
            throw CaptureProblem(error)
        } catch {
            throw error as? CaptureProblem ?? CaptureProblem(.inputOutput, "\(error)")
        }
    }

    /// Tries first whether a code can be made of these endpoints, so that none is left of an invitation without a code.
    private func invite(
        _ name: KeyName, _ role: Role, by principal: Principal
    ) async throws(CaptureProblem) -> RigAnswer {
        let endpoints = try endpoints()
        let code: (JoinToken) throws(SecurityError) -> JoinCode = { [self] token throws(SecurityError) in
            try JoinCode(
                endpoints: endpoints, coordinator: coordinator.publicKey, token: token, name: name, role: role, rig: rig
            )
        }
        do {
            _ = try code(JoinToken())
            let issued = try await access.invite(name, role: role, by: principal)
            return .invitation(issued.invitation, code: try code(issued.token))
        } catch let error as AccessError {
            throw CaptureProblem(error)
        } catch {
            throw CaptureProblem(.unsupportedSettings, "no join code can be made: \(error)")
        }
    }
}

extension CaptureProblem {
    /// Why keys were not changed.
    init(_ error: AccessError) {
        let code: Code =
            switch error.code {
            case .notStored, .notRecorded, .damagedDocument, .newerDocument, .unencodable: .inputOutput
            case .full, .overloaded, .tooManyAttempts: .noMemory
            case .unknownCode, .expired, .wrongClock, .withdrawn, .used, .revoked, .keyInUse, .nameTaken, .reservedName,
                .declined, .notFound, .ambiguous, .tooShort, .rotating, .notRotating, .lastAdmin:
                .conflict
            }
        self.init(code, error.description)
    }
}
