import CaptureModel
import FaultPoints
import RigProtocol
import RigWire

/// Captures that grow: files that are made after their photo.
extension ControlLink {
    /// Tells the coordinator of each file that a capture owed, once it is there or has failed, until the task is cancelled.
    /// What does not get through, the coordinator asks for.
    func tell(_ grown: NewestQueue<CaptureReport>) async {
        for await report in grown.elements {
            for _ in 0..<grown.takeLost() { drop(.unsent, "reports of captures, more than may wait") }
            await ControlWaitFault.grown.reached()
            await send(.captured(report.wire))
        }
    }
}
