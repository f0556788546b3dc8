import CaptureModel
import FoundationEssentials
import RigAccess
import RigCore
import RigProtocol
import RigSecurity
import RigWire

extension KeyListing {
    var wire: WireKeyList {
        var wire = WireKeyList()
        wire.keys = keys.prefix(WireLimits.keys).map(\.wire)
        wire.invitations = invitations.map { $0.wire(at: now) }
        wire.requests = requests.map(\.wire)
        wire.nowUnixNs = now.nanoseconds
        wire.revision = revision
        if let rotation { wire.rotation = rotation.wire }
        wire.version = version.wire
        return wire
    }
}

extension KeyRotationStatus {
    var wire: WireKeyRotation {
        var wire = WireKeyRotation()
        wire.newKey = Data(new.bytes)
        wire.oldKey = Data(old.bytes)
        wire.oldIsServed = isOldServed
        wire.unconfirmed = unconfirmed.prefix(WireLimits.keys).map(\.wire)
        return wire
    }
}

extension KeyRecord {
    fileprivate var wire: WireKeyRecord {
        var wire = WireKeyRecord()
        wire.holder = holder.wire
        wire.means = admission.means.rawValue
        wire.admittedBy = admission.by.name
        wire.admittedUnixNs = admission.at.nanoseconds
        if case .revoked(let revocation) = state {
            wire.revokedUnixNs = revocation.at.nanoseconds
            wire.revokedBy = revocation.by.name
        }
        return wire
    }
}

extension Invitation {
    /// - Parameter code: The only copy of the join code; nil for a listing.
    func wire(at now: WallTime, code: JoinCode? = nil) -> WireKeyInvitation {
        var wire = WireKeyInvitation()
        wire.name = name.rawValue
        wire.role = role.rawValue
        wire.issuedBy = issuedBy.name
        wire.issuedUnixNs = issuedAt.nanoseconds
        wire.expiresUnixNs = expiresAt.nanoseconds
        wire.state =
            switch status(at: now) {
            case .open: "open"
            case .expired: "expired"
            case .wrongClock: "wrongClock"
            case .redeemed: "redeemed"
            case .withdrawn: "withdrawn"
            }
        if let code { wire.code = code.text }
        return wire
    }
}

extension JoinRequest {
    var wire: WireKeyRequest {
        var wire = WireKeyRequest()
        wire.name = name.rawValue
        wire.role = role.rawValue
        wire.publicKey = Data(key.bytes)
        wire.askedUnixNs = askedAt.nanoseconds
        wire.declined = state != .waiting
        return wire
    }
}

extension KeyCommand {
    /// - Returns: nil for another request.
    init?(wire: WireClientRequest.OneOf_Body?) throws(WireError) {
        switch wire {
        case .inviteKey(let invite):
            let reader = FieldReader("InviteKey")
            self = .invite(try reader.name(invite.name, "name"), try reader.word(invite.role, "role", as: Role.self))
        case .withdrawInvitation(let withdraw):
            self = .withdraw(try FieldReader("WithdrawInvitation").name(withdraw.name, "name"))
        case .approveKey(let approve):
            let reader = FieldReader("ApproveKey")
            self = .approve(
                try reader.fingerprint(approve.fingerprint), as: try reader.name(approve.name, "name"),
                try reader.word(approve.role, "role", as: Role.self))
        case .declineKey(let decline): self = .decline(try FieldReader("DeclineKey").fingerprint(decline.fingerprint))
        case .revokeKey(let revoke):
            guard (1...128).contains(revoke.key.utf8.count) else {
                throw FieldReader("RevokeKey").invalid("key", "must have 1 to 128 bytes")
            }
            self = .revoke(revoke.key)
        case .renameKey(let rename):
            let reader = FieldReader("RenameKey")
            self = .rename(
                try reader.name(rename.name, "name"), to: try reader.name(rename.newName, "new_name"))
        case .rotateKey(let rotate):
            self = .rotate(
                from: try FieldReader("RotateKey").publicKey(rotate.from, "from"), isCompromised: rotate.compromised)
        case .endKeyRotation: self = .endRotation
        case .exportKey(let export): self = .export(passphrase: export.passphrase)
        case .issueSession(let issue): self = .issueSession(try KeyRegistry.SessionRequest(wire: issue))
        case .redeemLink(let redeem):
            self = .redeemLink(
                try FieldReader("RedeemLink").present(SessionSecret(bytes: redeem.secret), "secret"))
        case .endSession(let end):
            self = .endSession(try FieldReader("EndSession").present(SessionID(end.id), "id"))
        default: return nil
        }
    }
}

extension FieldReader {
    /// Returns the beginning of a fingerprint, as people type it.
    fileprivate func fingerprint(_ text: String) throws(WireError) -> FingerprintPrefix {
        do {
            return try FingerprintPrefix(text)
        } catch {
            throw invalid("fingerprint", error.description)
        }
    }
}
