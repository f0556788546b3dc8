package import CaptureModel
import PosixSupport
package import Spool

/// How the node's machine is, kept at hand by those who watch it, so that no heartbeat waits for disk or sensor. Safe
/// from any thread.
package final class NodeHealth: Sendable {
    package struct State: Sendable {
        /// nil before the first reading, and where the machine does not tell.
        package var pressure: SystemPressure?
        /// nil before the first reading.
        package var spool: SpoolUsage?
        /// Why the spool has no room for another photo; nil where it has.
        package var spoolShortage: String?
    }

    private let state = Locked(State())

    var now: State { state.withLock { $0 } }

    func update(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
    }
}
