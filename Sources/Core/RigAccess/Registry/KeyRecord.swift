public import CaptureModel
public import RigSecurity

/// A key that the registry knows, active or revoked.
public struct KeyRecord: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        case active
        /// The key is refused for ever.
        case revoked(Revocation)
    }

    public internal(set) var holder: KeyHolder
    public let admission: Admission
    public internal(set) var state: State = .active
    /// The key of the same name that this one replaces, while both are valid.
    public internal(set) var rotatesFrom: PublicKey?

    public var isActive: Bool { state == .active }
}

/// How a key came into the registry.
public struct Admission: Hashable, Sendable {
    public enum Means: String, Hashable, Codable, Sendable, CaseIterable {
        /// A program of the rig added it, such as the coordinator its machine's admin key.
        case direct
        /// Its holder redeemed an invitation.
        case invitation
        /// An admin approved its fingerprint.
        case approval
        /// It replaces another key of the same name.
        case rotation
    }

    public let means: Means
    /// Who decided it: for an invitation, who made it.
    public let by: Principal
    public let at: WallTime
}

/// The end of a key.
public struct Revocation: Hashable, Sendable {
    public let by: Principal
    public let at: WallTime
    /// The key that replaced it at the end of a rotation; nil if it was revoked.
    public let replacement: PublicKey?
}
