import CaptureModel
import RigProtocol
import RigWire

/// Requests about devices, which may take as long as hardware does: each is a task of its own.
extension ControlLink {
    /// Carries a request out and answers it, unless the coordinator that asked has gone meanwhile.
    func carryOut(_ order: WireDeviceOrder, from coordinator: Epoch) async {
        switch orders.take(order.requestID, from: coordinator) {
        case .ignore:
            return
        case .answer(let answer):
            await tell(answer, of: order)
        case .carryOut:
            let outcome =
                order.request.node.isEmpty
                ? await node.carryOut(order.request) : await spoolRequests.carryOut(order.request)
            let answer = WireDeviceAnswer(order.requestID, outcome)
            guard orders.finish(answer, from: coordinator), membership.coordinator == coordinator else { return }
            await tell(answer, of: order)
        }
    }

    /// An answer about a device tells how all devices stand as it is sent, also where it is a repeat.
    private func tell(_ answer: WireDeviceAnswer, of order: WireDeviceOrder) async {
        guard order.request.node.isEmpty else {
            await send(.deviceAnswer(answer))
            return
        }
        await listing {
            var answer = answer
            answer.devices = await self.node.statuses().map(\.wire)
            await self.send(.deviceAnswer(answer))
        }
    }
}
