public import CaptureModel
public import PosixSupport
internal import RigProtocol
public import RigSecurity
internal import RigWire

/// The keys of a rig, with what is pending.
public struct KeyList: Hashable, Sendable {
    /// Active keys by name, then revoked keys, the last revoked first.
    public var keys: [AdmittedKey]
    /// The oldest first.
    public var invitations: [KeyInvitation]
    /// Machines that wait for approval or were declined, the oldest first.
    public var requests: [KeyRequest]
    /// Increases with each change. A node whose ``FramesStatus/viewersRevision`` is as large enforces this list.
    public var revision: UInt64
    /// nil unless the coordinator's own key is being replaced.
    public var rotation: KeyRotation?
    /// Differs whenever any of the above does; nil from a coordinator that evaluates no conditions (``RigClient/condition``).
    public var version: ContentDigest?
}

/// The replacement of the coordinator's own key.
public struct KeyRotation: Hashable, Sendable {
    public var newKey: PublicKey
    public var oldKey: PublicKey
    /// Whether the coordinator listens with the old key on its second ports.
    public var isOldServed: Bool
    /// The holders that have not connected with the new key yet, in order of name.
    public var unconfirmed: [KeyHolder]
}

/// A key that a rig has admitted.
public struct AdmittedKey: Hashable, Sendable {
    public var holder: KeyHolder
    /// `direct`, `invitation`, `approval` or `rotation`.
    public var means: String
    public var admittedBy: String
    public var admittedAt: UTCDate
    /// nil while the key is active.
    public var revocation: Revocation?

    public struct Revocation: Hashable, Sendable {
        public var by: String
        public var at: UTCDate
    }
}

/// An invitation to join a rig.
public struct KeyInvitation: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        case open
        case expired
        /// The coordinator's clock was set back to before it was issued.
        case wrongClock
        case redeemed
        case withdrawn
    }

    public var name: KeyName
    public var role: Role
    public var issuedBy: String
    public var issuedAt: UTCDate
    public var expiresAt: UTCDate
    public var state: State
}

/// A machine that asks to be admitted without a code.
public struct KeyRequest: Hashable, Sendable {
    public var name: KeyName
    public var role: Role
    public var key: PublicKey
    public var askedAt: UTCDate
    public var isDeclined: Bool
}

extension KeyList {
    init(wire: WireKeyList) throws(WireError) {
        let reader = FieldReader("KeyList")
        revision = try reader.count(wire.revision, "revision")
        keys = try reader.list(wire.keys, "keys", limit: WireLimits.keys).map { (key) throws(WireError) in
            try AdmittedKey(wire: key)
        }
        invitations = try reader.list(wire.invitations, "invitations", limit: WireLimits.keys).map {
            (invitation) throws(WireError) in try KeyInvitation(wire: invitation)
        }
        requests = try reader.list(wire.requests, "requests", limit: WireLimits.keys).map {
            (request) throws(WireError) in try KeyRequest(wire: request)
        }
        rotation = wire.hasRotation ? try KeyRotation(wire: wire.rotation) : nil
        version = try reader.version(wire.version, "version")
    }
}

extension KeyRotation {
    init(wire: WireKeyRotation) throws(WireError) {
        let reader = FieldReader("KeyRotation")
        newKey = try reader.publicKey(wire.newKey, "new_key")
        oldKey = try reader.publicKey(wire.oldKey, "old_key")
        isOldServed = wire.oldIsServed
        unconfirmed = try reader.list(wire.unconfirmed, "unconfirmed", limit: WireLimits.keys).map {
            (holder) throws(WireError) in try KeyHolder(wire: holder)
        }
    }
}

extension AdmittedKey {
    fileprivate init(wire: WireKeyRecord) throws(WireError) {
        holder = try KeyHolder(wire: wire.holder)
        means = try FieldReader("KeyRecord").word(wire.means, "means")
        admittedBy = wire.admittedBy.sentence(limit: WireLimits.wordByteCount)
        admittedAt = UTCDate(realtimeNanoseconds: wire.admittedUnixNs)
        revocation =
            wire.hasRevokedUnixNs
            ? Revocation(
                by: wire.revokedBy.sentence(limit: WireLimits.wordByteCount),
                at: UTCDate(realtimeNanoseconds: wire.revokedUnixNs)) : nil
    }
}

extension KeyInvitation {
    init(wire: WireKeyInvitation) throws(WireError) {
        let reader = FieldReader("KeyInvitation")
        name = try reader.name(wire.name, "name")
        role = try reader.word(wire.role, "role", as: Role.self)
        issuedBy = wire.issuedBy.sentence(limit: WireLimits.wordByteCount)
        issuedAt = UTCDate(realtimeNanoseconds: wire.issuedUnixNs)
        expiresAt = UTCDate(realtimeNanoseconds: wire.expiresUnixNs)
        state = try reader.word(wire.state, "state", as: State.self)
    }
}

extension KeyRequest {
    init(wire: WireKeyRequest) throws(WireError) {
        let reader = FieldReader("KeyRequest")
        name = try reader.name(wire.name, "name")
        role = try reader.word(wire.role, "role", as: Role.self)
        key = try reader.publicKey(wire.publicKey)
        askedAt = UTCDate(realtimeNanoseconds: wire.askedUnixNs)
        isDeclined = wire.declined
    }
}
