internal import CaptureModel
internal import RigSecurity

/// The invitations of a registry, the oldest first. At most one of each name is pending.
struct InvitationList: Equatable, Sendable {
    private var entries: [Invitation] = []
    private var forgottenCount: UInt64 = 0

    init() {}

    /// All invitations, the oldest first.
    var list: [Invitation] { entries }

    /// How many were forgotten.
    var forgotten: UInt64 { forgottenCount }

    /// Restores the invitations of a document.
    init(restoring entries: [Invitation]) throws(KeyRing.BrokenRule) {
        let pending = entries.filter { $0.outcome == .pending }
        guard Set(pending.map(\.name)).count == pending.count else {
            throw KeyRing.BrokenRule("a name has two pending invitations")
        }
        guard Set(entries.map(\.token.bytes)).count == entries.count else {
            throw KeyRing.BrokenRule("an invitation is there twice")
        }
        self.entries = entries
    }

    /// Adds an invitation. A pending one of the same name is withdrawn.
    /// - Parameters:
    ///   - openLimit: The most open invitations.
    ///   - limit: The most invitations. The oldest that are not open are forgotten.
    /// - Returns: The one that was withdrawn.
    /// - Throws: `full`.
    mutating func add(
        _ invitation: Invitation, by principal: Principal, at now: WallTime, openLimit: Int, limit: Int
    ) throws(AccessError) -> Invitation? {
        let pending = pendingIndex(of: invitation.name)
        let isOpen = pending.map { entries[$0].status(at: now) == .open } ?? false
        guard entries.count(where: { $0.status(at: now) == .open }) - (isOpen ? 1 : 0) < openLimit else {
            throw AccessError(
                .full, "invite", "\(invitation.name)",
                "\(openLimit) invitations are open, which is the most at a time",
                remedy: "withdraw some, or wait until they are redeemed or expire")
        }
        let replaced = pending.map { withdraw($0, by: principal, at: now) }
        entries.append(invitation)
        forgetSettled(beyond: limit, at: now)
        return replaced
    }

    /// Withdraws the pending invitation of a name, whether its time has passed or not.
    /// - Throws: `notFound`.
    mutating func withdraw(
        _ name: KeyName, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> Invitation {
        guard let index = pendingIndex(of: name) else {
            throw AccessError(
                .notFound, "withdraw", "\(name)", "no invitation for '\(name)' is pending",
                remedy: "if its code was redeemed, `capctl keys revoke \(name)` ends the key")
        }
        return withdraw(index, by: principal, at: now)
    }

    /// Returns the invitation that a key may redeem with a token, or has redeemed.
    /// - Throws: `unknownCode`, `expired`, `wrongClock`, `withdrawn` or `used`.
    func redeemable(
        _ token: JoinToken, by key: PublicKey, at now: WallTime
    ) throws(AccessError) -> (invitation: Invitation, isRedeemed: Bool) {
        guard let index = index(of: token) else {
            throw AccessError(
                .unknownCode, "redeem", "\(key)", "this rig has no invitation for the code",
                remedy: "the code is of another rig or was forgotten; make another code on the coordinator of this rig")
        }
        let invitation = entries[index]
        if case .redeemed(key, _) = invitation.status(at: now) { return (invitation, true) }
        guard invitation.status(at: now) == .open else { throw invitation.refusal(at: now) }
        return (invitation, false)
    }

    /// Notes that a key has redeemed the invitation of a token.
    mutating func redeem(_ token: JoinToken, by key: PublicKey, at now: WallTime) {
        if let index = index(of: token) { entries[index].outcome = .redeemed(by: key, at: now) }
    }

    /// Makes the expiry of pending invitations final.
    /// - Returns: Those that have expired.
    mutating func expire(at now: WallTime) -> [Invitation] {
        let expired = entries.indices.filter { index in
            entries[index].outcome == .pending && entries[index].status(at: now) != .open
        }
        for index in expired {
            entries[index].outcome = .expired(isWrongClock: entries[index].status(at: now) == .wrongClock)
        }
        return expired.map { entries[$0] }
    }

    /// Returns the position of the invitation of a token. Every entry is compared, each in constant time.
    private func index(of token: JoinToken) -> Int? {
        let hash = token.hash
        return entries.indices.reduce(nil) { entries[$1].token == hash ? $1 : $0 }
    }

    private func pendingIndex(of name: KeyName) -> Int? {
        entries.firstIndex { $0.name == name && $0.outcome == .pending }
    }

    private mutating func withdraw(_ index: Int, by principal: Principal, at now: WallTime) -> Invitation {
        entries[index].outcome = .withdrawn(by: principal, at: now)
        return entries[index]
    }

    private mutating func forgetSettled(beyond limit: Int, at now: WallTime) {
        while entries.count > limit, let oldest = entries.firstIndex(where: { $0.status(at: now) != .open }) {
            entries.remove(at: oldest)
            forgottenCount += 1
        }
    }
}

extension Invitation {
    /// Why an invitation that is not open cannot be redeemed.
    fileprivate func refusal(at now: WallTime) -> AccessError {
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
