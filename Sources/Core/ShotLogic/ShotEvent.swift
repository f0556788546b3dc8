public import CaptureModel

/// What happens to a shot. Events may come repeated, late and in any order; see `docs/design/shot.md`.
///
/// Before it hands over an event of a node, the caller has checked that the message is of the node's present life and
/// that the node speaks for its own devices.
public enum ShotEvent: Hashable, Sendable {
    /// The caller is ready for actions. The first event of every machine.
    case begin
    /// The manifest of this revision has been written and synced.
    case manifestDurable(revision: Int)
    /// The manifest of this revision could not be written.
    case manifestFailed(revision: Int, CaptureProblem)
    /// The node has pinned the frames of the window.
    case armed(DeviceID, ResolvedPhotoSettings)
    /// The node will not take part with this camera.
    case refused(DeviceID, CaptureProblem)
    /// The frame is chosen and its photo lies durable in the node's spool; or a later report, of a file that was owed.
    case captured(CaptureReport)
    /// The node's report of the capture contradicts itself or the shot, and was not taken.
    case reportRejected(DeviceID, CaptureProblem)
    /// The node was armed and there is no file.
    case captureMissed(DeviceID, CaptureProblem)
    /// The file is durable in the library, with the announced bytes.
    case stored(FileKey, path: String, at: RigTime)
    /// The file cannot be had or stored: library full, bytes wrong after retries, lost at the node.
    case storingFailed(FileKey, CaptureProblem)
    /// The node said hello. `inventory` holds the reports of the captures in its spool; those of other shots are ignored.
    /// `epochChanged` says that it is not the life that was last connected.
    case nodeConnected(NodeName, epochChanged: Bool, inventory: [CaptureReport])
    case nodeDisconnected(NodeName)
    /// A connected node lists a capture of its spool, after its hello.
    case offered(CaptureReport)
    /// The capture's files were removed from the node's spool on somebody's order.
    case discarded(DeviceID, CaptureProblem)
    /// `nextDeadline` has been reached.
    case deadlinePassed
    /// The client, or a person, ends the shot. What has been captured is still collected.
    case cancelRequested
    /// Somebody waits for the answer, at most until then. Of no effect where the schedule has an instant already.
    case awaited(until: RigTime)
    /// Somebody stops the take at this instant.
    case stopRequested(at: RigTime)
    /// Somebody sets a mark in the take.
    case marked(TakeMark)
}
