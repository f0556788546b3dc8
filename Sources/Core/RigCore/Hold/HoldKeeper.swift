import CaptureModel
import Logging
import StorageKit

/// Keeps who holds the rig: decides by ``HoldMachine`` at the present of a clock, and stores what has changed.
///
/// A hold works without a disk, and then ends with this run of the coordinator. Belongs to one actor, and runs on it.
final class HoldKeeper {
    private var machine: HoldMachine
    private let store: (any DocumentStore<StoredHold?>)?
    private let rigClock: RigClockID
    private let clock: any TimeSource
    private let log: Logger

    /// - Parameters:
    ///   - hold: What an earlier run has stored.
    ///   - store: nil for a hold that ends with this run.
    init(
        restoring hold: StoredHold?, in store: (any DocumentStore<StoredHold?>)?, on rigClock: RigClockID,
        clock: any TimeSource, log: Logger
    ) {
        machine = HoldMachine(restoring: hold, rigClock)
        self.store = store
        self.rigClock = rigClock
        self.clock = clock
        self.log = log
    }

    /// The hold as clients are told.
    var state: HeldState { machine.state(at: clock.rigWallClock) }

    /// When the hold is over; nil if nobody holds the rig. The rig's time line is this machine's clock.
    var deadline: LocalTime? { machine.deadline.map { LocalTime(nanoseconds: $0.nanoseconds) } }

    /// - Throws: `held`, which names the holder, if somebody else holds the rig.
    func requireNotHeld(against principal: Principal) throws(RigProblem) {
        try machine.requireNotHeld(against: principal, at: clock.rigWallClock)
    }

    /// Changes the hold at once.
    /// - Returns: What is to be told and stored, and the state after it.
    /// - Throws: As ``HoldMachine/carryOut(_:by:if:at:)``.
    func carryOut(
        _ command: HoldChange, by principal: Principal, if condition: ChangeCondition?
    ) throws(RigProblem) -> (changes: [HoldMachine.Change], state: HeldState) {
        let changes = try machine.carryOut(command, by: principal, if: condition, at: clock.rigWallClock)
        return (changes, state)
    }

    /// Ends a hold whose time has come.
    /// - Returns: What is to be told and stored.
    func expire() -> [HoldMachine.Change] { machine.expire(at: clock.rigTime) }

    /// Stores the hold as it is. Returns when it is stored, or the attempt has failed.
    func save() async {
        do throws(StorageError) {
            try await store?.replace(with: machine.stored(on: rigClock))
        } catch {
            log.error("the hold of the rig cannot be written", metadata: ["reason": "\(error)"])
        }
    }
}
