public import CaptureModel
public import RigSecurity

/// Joining by code.
extension KeyRegistry {
    /// Makes an invitation. A pending one of the same name is withdrawn, so that a lost code ends.
    /// - Parameter token: New and random.
    /// - Throws: `nameTaken`, `reservedName` or `full`.
    public mutating func invite(
        _ name: KeyName, role: Role, by principal: Principal, at now: WallTime, token: JoinToken
    ) throws(AccessError) -> IssuedInvitation {
        try ring.checkFree(name, "invite")
        try ring.checkRoom(limits.keys, "invite", "\(name)")
        let pending = invitationList.pendingIndex(of: name)
        let isOpen = pending.map { invitationList.entries[$0].status(at: now) == .open } ?? false
        guard invitationList.openCount(at: now) - (isOpen ? 1 : 0) < limits.openInvitations else {
            throw AccessError(
                .full, "invite", "\(name)",
                "\(limits.openInvitations) invitations are open, which is the most at a time",
                remedy: "withdraw some, or wait until they are redeemed or expire")
        }
        let replaced = pending.map { withdraw($0, by: principal, at: now) }
        let invitation = Invitation(token: token.hash, name: name, role: role, issuedBy: principal, issuedAt: now)
        invitationList.append(invitation)
        forgetInvitations(at: now)
        revision += 1
        return IssuedInvitation(invitation: invitation, token: token, replaced: replaced)
    }

    /// Withdraws the pending invitation of a name, whether its time has passed or not.
    /// - Throws: `notFound`.
    public mutating func withdrawInvitation(
        of name: KeyName, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> Invitation {
        guard let index = invitationList.pendingIndex(of: name) else {
            throw AccessError(
                .notFound, "withdraw", "\(name)", "no invitation for '\(name)' is pending",
                remedy: "if its code was redeemed, `capctl keys revoke \(name)` ends the key")
        }
        let withdrawn = withdraw(index, by: principal, at: now)
        revision += 1
        return withdrawn
    }

    /// Makes the expiry of invitations final whose time has passed or is in the future.
    /// - Returns: Those that have expired since the last call.
    public mutating func expireInvitations(at now: WallTime) -> [Invitation] {
        let expired = invitationList.expire(at: now)
        if !expired.isEmpty { revision += 1 }
        return expired
    }

    /// Admits the key of a connection that presents a token.
    /// - Parameters:
    ///   - permit: That of this attempt. After success, the caller gives it back to its limiter.
    ///   - key: The connection's, of which CURVE has proved the possession.
    /// - Returns: `repeated` with the same admission if this key has redeemed the token before.
    /// - Throws: `unknownCode`, `expired`, `wrongClock`, `withdrawn`, `used`, `revoked`, `keyInUse`, `nameTaken`,
    ///   `reservedName` or `full`. The invitation is then as before.
    public mutating func redeem(
        _ token: JoinToken, for key: PublicKey, permit: AttemptPermit, at now: WallTime
    ) throws(AccessError) -> AdmissionOutcome {
        guard let index = invitationList.index(of: token) else {
            throw AccessError(
                .unknownCode, "redeem", "\(key)", "this rig has no invitation for the code",
                remedy: "the code is of another rig or was forgotten; make another code on the coordinator of this rig")
        }
        let invitation = invitationList.entries[index]
        if case .redeemed(key, _) = invitation.status(at: now) {
            return .repeated(try admitted(key))
        }
        guard invitation.status(at: now) == .open else { throw invitation.refusal(at: now) }
        try ring.checkAdmission(of: key, as: invitation.name, limit: limits.keys, "redeem")
        invitationList.settle(index, .redeemed(by: key, at: now))
        let holder = KeyHolder(name: invitation.name, role: invitation.role, key: key)
        insert(holder, Admission(means: .invitation, by: invitation.issuedBy, at: now))
        return .admitted(holder)
    }

    /// The holder of a key that has redeemed its invitation, under its current name.
    private func admitted(_ key: PublicKey) throws(AccessError) -> KeyHolder {
        if let record = ring.records[key] {
            guard record.isActive else { throw KeyRing.revoked(record, "redeem") }
            return record.holder
        }
        throw AccessError(
            .revoked, "redeem", "\(key)", "key \(key) was revoked",
            remedy: "delete the key file on its machine, and join with another code, which makes another key")
    }

    private mutating func withdraw(_ index: Int, by principal: Principal, at now: WallTime) -> Invitation {
        invitationList.settle(index, .withdrawn(by: principal, at: now))
        return invitationList.entries[index]
    }

    private mutating func forgetInvitations(at now: WallTime) {
        let forgotten = invitationList.forgetSettled(beyond: limits.invitations, at: now)
        counters.forgottenInvitations += UInt64(forgotten)
    }
}

extension Invitation {
    /// Why an invitation that is not open cannot be redeemed.
    func refusal(at now: WallTime) -> AccessError {
        let another = "make another code on the coordinator"
        func refusal(_ code: AccessError.Code, _ cause: String, _ remedy: String) -> AccessError {
            AccessError(code, "redeem", "\(name)", cause, remedy: remedy)
        }
        return switch status(at: now) {
        case .open, .expired:
            refusal(
                .expired,
                "the code for '\(name)' expired at \(expiresAt.text), and the coordinator's clock shows "
                    + now.text, another)
        case .wrongClock:
            refusal(
                .wrongClock,
                "wrong clock: the coordinator's clock was set back after the code for '\(name)' was made at "
                    + "\(issuedAt.text); it shows \(now.text)",
                "check the clock of the coordinator's machine, then " + another)
        case .redeemed(let key, let time):
            refusal(
                .used, "the code for '\(name)' was used at \(time.text) by another key, \(key)",
                "if that was not one of your machines, run `capctl keys revoke \(name)`; then " + another)
        case .withdrawn(let principal, let time):
            refusal(
                .withdrawn, "the code for '\(name)' was withdrawn at \(time.text) by \(principal.name)",
                "use the newest code, or " + another)
        }
    }
}
