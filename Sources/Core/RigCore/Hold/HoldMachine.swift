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
    /// How far the wall clock moves against the rig's clock until the date of a hold's end follows it.
    static let dateTolerance = Duration.seconds(1)

    /// What a request or the time has changed.
    enum Change: Hashable, Sendable {
        case taken(RigHold)
        case renewed(RigHold)
        case released(RigHold)
        case expired(RigHold)
        case overridden(RigHold, by: Principal)
    }

    /// nil: free. May be over; ``present(at:)`` says whether it is.
    private var hold: RigHold?
    /// The date that was last told of the end of a hold.
    private var toldEnd: (ends: RigTime, realtimeNanoseconds: Int64)?

    init() {}

    /// Goes on with the hold of an earlier run. One whose time line has ended is over.
    init(restoring stored: StoredHold?, _ rigClock: RigClockID) {
        hold = stored?.hold
        if let stored, stored.rigClock != rigClock { hold?.ends = RigTime(nanoseconds: 0) }
    }

    /// What a later run is to know; nil if nobody holds the rig.
    func stored(on rigClock: RigClockID) -> StoredHold? { hold.map { StoredHold($0, rigClock: rigClock) } }

    /// When the hold is over; nil if nobody holds the rig.
    var deadline: RigTime? {
        // Swift 6.3.1 fails to optimize a loop into which this is inlined.
        @inline(never) get { hold?.ends }
    }

    /// The hold as clients are told, with the date of its end. Two readings of the clocks differ by nanoseconds, and a hold that nobody has
    /// changed keeps its version, so the date stays until the wall clock has moved by ``dateTolerance``.
    mutating func state(at wallClock: WallClockPair<RigTimeBase>) -> HeldState {
        guard let hold = present(at: wallClock.monotonic) else { return HeldState() }
        var date = wallClock.realtimeNanoseconds(at: hold.ends)
        if let toldEnd, toldEnd.ends == hold.ends {
            let moved = Duration.nanoseconds(date) - .nanoseconds(toldEnd.realtimeNanoseconds)
            if (.zero - Self.dateTolerance...Self.dateTolerance).contains(moved) { date = toldEnd.realtimeNanoseconds }
        }
        toldEnd = (hold.ends, date)
        return HeldState(status: HoldStatus(hold, endsRealtimeNanoseconds: date))
    }

    /// Carries out a command.
    /// - Parameter condition: Compared with the version of the state; nil: the state may be any.
    /// - Returns: The changes in their order.
    /// - Throws: `held` if somebody else holds the rig; then `preconditionFailed` if the condition does not hold; `unsupportedSettings` if the
    ///   request is not valid, or the requester has no name. Then nothing is changed.
    mutating func carryOut(
        _ command: HoldChange, by principal: Principal, if condition: ChangeCondition? = nil,
        at wallClock: WallClockPair<RigTimeBase>
    ) throws(RigProblem) -> [Change] {
        let now = wallClock.monotonic
        var changed = self
        let changes: [Change]?
        switch command {
        case .take(let request):
            if let problem = request.problem(of: principal) { throw problem }
            changes = changed.take(request, by: principal, at: now)
        case .release(let overrides):
            changes = changed.release(overriding: overrides, by: principal, at: now)
        }
        guard let changes else {
            try requireNotHeld(against: principal, at: wallClock)
            return []
        }
        if let condition, !condition.holds(for: state(at: wallClock).version) {
            throw RigProblem(
                .preconditionFailed,
                "the hold of the rig has changed since it was read, so nothing was changed; read it again, and decide on what it is then"
            )
        }
        hold = changed.hold
        return changes
    }

    /// - Throws: `held`, which names the holder, if somebody else holds the rig.
    func requireNotHeld(
        against principal: Principal, at wallClock: WallClockPair<RigTimeBase>
    ) throws(RigProblem) {
        guard let hold = obstacle(to: principal, at: wallClock.monotonic) else { return }
        throw RigProblem(heldBy: hold, at: wallClock)
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
