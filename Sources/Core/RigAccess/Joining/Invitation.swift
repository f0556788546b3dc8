public import CaptureModel
public import RigSecurity

/// The right of whoever has a token to get a key admitted under one name and role.
///
/// | state | redeemed by a key | by the same key again | by another key | its time passes | withdrawn |
/// |---|---|---|---|---|---|
/// | open | redeemed: the key is admitted | – | – | expired | withdrawn |
/// | redeemed | – | same admission | refused: used | redeemed | refused |
/// | expired | refused: expired | – | refused: expired | – | withdrawn, unless the expiry is final |
/// | withdrawn | refused: withdrawn | – | refused: withdrawn | withdrawn | refused |
///
/// If the clock is more than ``clockTolerance`` before the time at which the invitation was made, it counts as expired,
/// with the refusal "wrong clock". Otherwise, setting the clock back would make old codes valid again, and a code that
/// was made while the clock was ahead would be valid for an hour in the future. ``KeyRegistry/expireInvitations(at:)``
/// makes both kinds of expiry final, also for a clock that jumps again.
public struct Invitation: Equatable, Sendable {
    /// What became of it, apart from time.
    public enum Outcome: Hashable, Sendable {
        case pending
        case redeemed(by: PublicKey, at: WallTime)
        case withdrawn(by: Principal, at: WallTime)
        /// It was seen to be expired, or made in the future.
        case expired(isWrongClock: Bool)
    }

    /// What it is at an instant.
    public enum Status: Hashable, Sendable {
        case open
        case expired
        /// Expired because the clock is before the time at which it was made.
        case wrongClock
        case redeemed(by: PublicKey, at: WallTime)
        case withdrawn(by: Principal, at: WallTime)
    }

    /// How long an invitation is valid.
    public static let validity = Duration.seconds(3600)
    /// How far the clock may go back after an invitation was made, as when it is corrected.
    public static let clockTolerance = Duration.seconds(60)

    let token: TokenHash
    public let name: KeyName
    public let role: Role
    public let issuedBy: Principal
    public let issuedAt: WallTime
    public internal(set) var outcome: Outcome = .pending

    /// The first instant at which it is no longer valid.
    public var expiresAt: WallTime { issuedAt + Self.validity }

    public func status(at now: WallTime) -> Status {
        switch outcome {
        case .redeemed(let key, let time): .redeemed(by: key, at: time)
        case .withdrawn(let principal, let time): .withdrawn(by: principal, at: time)
        case .expired(let isWrongClock): isWrongClock ? .wrongClock : .expired
        case .pending where now < issuedAt - Self.clockTolerance: .wrongClock
        case .pending: now < expiresAt ? .open : .expired
        }
    }
}

/// An invitation that was just made, with the only copy of its token.
public struct IssuedInvitation: Sendable {
    public let invitation: Invitation
    /// The secret, for the ``JoinCode``.
    public let token: JoinToken
    /// The pending invitation of the same name that was withdrawn, because its code was lost or went astray.
    public let replaced: Invitation?
}
