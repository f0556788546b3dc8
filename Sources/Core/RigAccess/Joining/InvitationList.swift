internal import CaptureModel
internal import RigSecurity

/// The invitations of a registry, the oldest first. At most one of each name is pending.
struct InvitationList: Equatable, Sendable {
    private(set) var entries: [Invitation] = []

    init() {}

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

    /// Returns the position of the invitation of a token. Every entry is compared, each in constant time.
    func index(of token: JoinToken) -> Int? {
        let hash = token.hash
        return entries.indices.reduce(nil) { entries[$1].token == hash ? $1 : $0 }
    }

    func pendingIndex(of name: KeyName) -> Int? {
        entries.firstIndex { $0.name == name && $0.outcome == .pending }
    }

    func openCount(at now: WallTime) -> Int {
        entries.count { $0.status(at: now) == .open }
    }

    mutating func append(_ invitation: Invitation) { entries.append(invitation) }

    mutating func settle(_ index: Int, _ outcome: Invitation.Outcome) { entries[index].outcome = outcome }

    /// Makes the expiry of pending invitations final.
    /// - Returns: Those that have expired.
    mutating func expire(at now: WallTime) -> [Invitation] {
        let expired = entries.indices.filter { index in
            entries[index].outcome == .pending && entries[index].status(at: now) != .open
        }
        for index in expired {
            settle(index, .expired(isWrongClock: entries[index].status(at: now) == .wrongClock))
        }
        return expired.map { entries[$0] }
    }

    /// Removes the oldest invitations that are not open, until at most `limit` are left.
    /// - Returns: How many were removed.
    mutating func forgetSettled(beyond limit: Int, at now: WallTime) -> Int {
        var removed = 0
        while entries.count > limit, let oldest = entries.firstIndex(where: { $0.status(at: now) != .open }) {
            entries.remove(at: oldest)
            removed += 1
        }
        return removed
    }
}
