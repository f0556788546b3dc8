import CaptureModel
import PosixSupport
import Spool

/// How the node's machine is, kept at hand by those who watch it, so that no heartbeat waits for disk or sensor. Safe
/// from any thread.
final class NodeHealth: Sendable {
    struct State: Sendable {
        /// nil before the first reading, and where the machine does not tell.
        var pressure: SystemPressure?
        /// nil before the first reading.
        var spool: SpoolUsage?
        /// Why the spool has no room for another photo; nil where it has.
        var spoolShortage: String?
    }

    private let state = Locked(State())

    var now: State { state.withLock { $0 } }

    func update(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
    }
}
