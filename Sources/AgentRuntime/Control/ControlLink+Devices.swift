import CaptureModel
import RigProtocol

/// Requests about devices, which may take as long as hardware does: each is a task of its own.
extension ControlLink {
    /// Carries a request out and answers it, unless the coordinator that asked has gone meanwhile.
    func carryOut(_ order: WireDeviceOrder, from coordinator: Epoch) async {
        switch orders.take(order.requestID, from: coordinator) {
        case .ignore:
            return
        case .answer(let answer):
            await send(.deviceAnswer(answer))
        case .carryOut:
            let outcome =
                order.request.node.isEmpty
                ? await node.carryOut(order.request) : await spoolRequests.carryOut(order.request)
            let answer = WireDeviceAnswer(order.requestID, outcome)
            guard orders.finish(answer, from: coordinator), membership.coordinator == coordinator else { return }
            await send(.deviceAnswer(answer))
        }
    }
}
