import CaptureEngine
import CaptureModel

extension RigMember {
    /// From here on every prepare is refused.
    func refuseShots() {
        isShuttingDown = true
    }

    /// Gives up what no picture is being made of yet, and tells the coordinator that there will be none.
    func giveUp(_ session: CaptureSession) async {
        for key in await session.giveUpUnmade(with: Self.shuttingDown(session.device.id)) {
            await send(.captureResult(.missed(key, Self.shuttingDown(key.device))))
        }
    }

    /// Whether a camera is still to answer for a shot.
    var isArming: Bool { arming.isArming }

    /// Not `cancelled`: another agent of the node's name may have made the picture, and what it has made counts.
    static func shuttingDown(_ device: DeviceID) -> CaptureProblem {
        CaptureProblem(
            .nodeUnreachable, "\(device): the agent of node '\(device.node)' is ending; trigger again when it is back")
    }
}
