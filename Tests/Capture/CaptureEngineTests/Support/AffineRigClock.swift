import CaptureModel
import PosixSupport

/// A rig clock that is exactly `local + offset`, with a bound of the test's choice; it can be lost.
final class AffineRigClock: RigTimeSource {
    private struct State: Sendable {
        var clockID: RigClockID?
        var offset: Duration
        var bound: Duration
    }

    private let state: Locked<State>

    init(offset: Duration = .seconds(7200), bound: Duration = .microseconds(150)) {
        state = Locked(State(clockID: RigClockID(rawValue: "rig-1"), offset: offset, bound: bound))
    }

    var clockID: RigClockID? { state.withLock { $0.clockID } }

    func rigTime(at local: LocalTime) -> BoundedRigTime? {
        state.withLock { state in
            guard state.clockID != nil else { return nil }
            let time = RigTime(nanoseconds: local.nanoseconds) + state.offset
            return BoundedRigTime(time: time, bound: state.bound)
        }
    }

    func localTime(at rig: RigTime) -> LocalTime? {
        state.withLock { state in
            guard state.clockID != nil else { return nil }
            return LocalTime(nanoseconds: rig.nanoseconds) - state.offset
        }
    }

    /// The node has found out that the rig's time is so much later than it thought.
    func learn(_ correction: Duration) {
        state.withLock { $0.offset += correction }
    }

    /// The node forgets its estimate, as when the coordinator's machine has rebooted.
    func lose() {
        state.withLock { $0.clockID = nil }
    }
}
