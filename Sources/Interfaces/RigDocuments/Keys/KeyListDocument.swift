internal import CaptureModel
internal import PosixSupport
public import RigClient
public import RigSecurity

/// The keys of a rig, with what is pending: `capctl keys list`.
public struct KeyListDocument: Encodable, Sendable {
    /// The coordinator's own key; absent without keys.
    var coordinator: Coordinator?
    var invitations: [Invitation]
    var keys: [Key]
    var requests: [Request]
    var revision: Integer64
    /// Absent unless the coordinator's own key is being replaced.
    var rotation: RotationDocument?

    /// The coordinator's own key.
    struct Coordinator: Encodable {
        var fingerprint: String
        /// Base64.
        var key: String
    }

    /// A key that the rig has admitted.
    struct Key: Encodable {
        var admitted: String
        var admittedBy: String
        var fingerprint: String
        var means: String
        var name: String
        var revoked: String?
        var revokedBy: String?
        var role: String
    }

    /// An invitation.
    struct Invitation: Encodable {
        var expires: String
        var issuedBy: String
        var name: String
        var role: String
        var state: String
    }

    /// A machine that asks to join.
    struct Request: Encodable {
        var asked: String
        var declined: Bool
        var fingerprint: String
        var name: String
        var role: String
    }

    /// - Parameter coordinator: The coordinator's own key; nil for a rig without keys.
    public init(_ list: KeyList, coordinator: PublicKey?) {
        self.coordinator = coordinator.map { Coordinator(fingerprint: "\($0)", key: $0.base64) }
        invitations = list.invitations.map(Invitation.init)
        keys = list.keys.map(Key.init)
        requests = list.requests.map(Request.init)
        revision = Integer64(list.revision)
        rotation = list.rotation.map { RotationDocument($0, isEnded: !$0.isOldServed) }
    }
}

extension KeyListDocument.Key {
    fileprivate init(_ key: AdmittedKey) {
        admitted = key.admittedAt.description
        admittedBy = key.admittedBy
        fingerprint = "\(key.holder.key)"
        means = key.means
        name = key.holder.name.rawValue
        revoked = key.revocation?.at.description
        revokedBy = key.revocation?.by
        role = key.holder.role.rawValue
    }
}

extension KeyListDocument.Invitation {
    fileprivate init(_ invitation: KeyInvitation) {
        expires = invitation.expiresAt.description
        issuedBy = invitation.issuedBy
        name = invitation.name.rawValue
        role = invitation.role.rawValue
        state = invitation.state.rawValue
    }
}

extension KeyListDocument.Request {
    fileprivate init(_ request: KeyRequest) {
        asked = request.askedAt.description
        declined = request.isDeclined
        fingerprint = "\(request.key)"
        name = request.name.rawValue
        role = request.role.rawValue
    }
}
