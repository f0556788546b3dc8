import CaptureModel
import StorageKit

/// Who holds the rig.
///
/// There is one hold of the whole rig, and none of some of its cameras: a shot of T concerns the cameras of all nodes alike, people who
/// share a rig settle who works with it and not who has which camera, and one name answers why a request is refused.
///
/// | | free | held by the requester | held by another |
/// |---|---|---|---|
/// | take | held | renewed: another end, and another note if one is given | refused: `held` |
/// | take, naming the holder | held | renewed | that hold is overridden; held |
/// | release | – | free | refused: `held` |
/// | release, naming the holder | – | free | that hold is overridden; free |
/// | naming somebody else | as without a name | as without a name | refused: `held`, which names the present holder |
/// | its end is reached | – | free: expired | free: expired |
///
/// A value without a clock: `at` is the present, and must not decrease. At its end a hold is over, whether ``expire(at:)`` was called or
/// not. The caller checks that whoever names a holder is an administrator.
struct HoldMachine: Sendable {
    /// What a request or the time has changed.
    enum Change: Hashable, Sendable {
        case taken(RigHold)
        case renewed(RigHold)
        case released(RigHold)
        case expired(RigHold)
        case overridden(RigHold, by: Principal)
    }

    /// nil: free. May be over; ``present(at:)`` says whether it is.
    private(set) var hold: RigHold?

    init() {}

    /// Goes on with the hold of an earlier run. One whose time line has ended is over.
    init(restoring stored: StoredHold?, _ rigClock: RigClockID) {
        hold = stored?.hold
        if let stored, stored.rigClock != rigClock { hold?.ends = RigTime(nanoseconds: 0) }
    }

    /// The hold at this instant; nil if nobody holds the rig.
    func present(at now: RigTime) -> RigHold? { hold.flatMap { now < $0.ends ? $0 : nil } }

    /// The hold that keeps this requester from changing the rig; nil if none does.
    func obstacle(to principal: Principal, at now: RigTime) -> RigHold? {
        present(at: now).flatMap { $0.holder == principal ? nil : $0 }
    }

    /// Ends a hold whose time has come.
    mutating func expire(at now: RigTime) -> [Change] {
        guard let over = hold, now >= over.ends else { return [] }
        hold = nil
        return [.expired(over)]
    }

    /// - Returns: The changes in their order; nil if another holds the rig, as ``obstacle(to:at:)`` says.
    mutating func take(_ request: HoldRequest, by principal: Principal, at now: RigTime) -> [Change]? {
        guard var changes = clear(for: principal, overriding: request.overrides, at: now) else { return nil }
        let renewed = hold
        let next = RigHold(
            holder: principal, note: request.note ?? renewed?.note ?? "", taken: renewed?.taken ?? now,
            ends: now + request.duration)
        hold = next
        changes.append(renewed == nil ? .taken(next) : .renewed(next))
        return changes
    }

    /// - Returns: The changes in their order; nil if another holds the rig, as ``obstacle(to:at:)`` says.
    mutating func release(overriding overrides: String?, by principal: Principal, at now: RigTime) -> [Change]? {
        guard let changes = clear(for: principal, overriding: overrides, at: now) else { return nil }
        guard let own = hold else { return changes }
        hold = nil
        return changes + [.released(own)]
    }

    /// Leaves the requester's own hold, or none.
    private mutating func clear(
        for principal: Principal, overriding overrides: String?, at now: RigTime
    ) -> [Change]? {
        let changes = expire(at: now)
        guard let other = obstacle(to: principal, at: now) else { return changes }
        guard overrides == other.holder.name else { return nil }
        hold = nil
        return changes + [.overridden(other, by: principal)]
    }
}
