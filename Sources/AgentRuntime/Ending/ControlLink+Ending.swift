import CaptureEngine
import CaptureModel
import RigProtocol
import RigWire

extension ControlLink {
    /// From here on every prepare is refused.
    func refuseShots() {
        isEnding = true
    }

    /// Tells the coordinator that there will be no picture of these captures.
    func giveUp(_ captures: [CaptureKey]) async {
        for key in captures {
            await send(CaptureResult.missed(key, Self.ending(key.device)).wire)
        }
    }

    /// The answers of an agent that is ending.
    func refusals(of order: PrepareOrder) -> [WirePrepareResult] {
        order.devices.map { device in
            node.refusal(order, device, Self.ending(DeviceID(node: node.name, device: device)))
        }
    }

    private static func ending(_ device: DeviceID) -> CaptureProblem {
        CaptureProblem(
            .cancelled, "\(device): the agent of node '\(device.node)' is ending; trigger again when it is back")
    }
}
