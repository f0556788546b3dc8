import CaptureEngine
import CaptureModel
import RigProtocol
import RigWire

extension ControlLink {
    /// From here on every prepare is refused.
    func refuseShots() {
        isEnding = true
    }

    /// Gives up what no picture is being made of yet, and tells the coordinator that there will be none.
    func giveUp(_ session: CaptureSession) async {
        for key in await session.giveUpUnmade(with: Self.ending(session.device.id)) {
            await send(CaptureResult.missed(key, Self.ending(key.device)).wire)
        }
    }

    /// Whether a camera is still to answer for a shot.
    var isArming: Bool { lanes.isArming }

    /// The answers of an agent that is ending.
    func refusals(of order: PrepareOrder) -> [WirePrepareResult] {
        order.devices.map { device in
            node.refusal(order, device, Self.ending(DeviceID(node: node.name, device: device)))
        }
    }

    /// Not `cancelled`: another agent of the node's name may have made the picture, and what it has made counts.
    private static func ending(_ device: DeviceID) -> CaptureProblem {
        CaptureProblem(
            .nodeUnreachable, "\(device): the agent of node '\(device.node)' is ending; trigger again when it is back")
    }
}
