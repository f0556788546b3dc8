import FaultPoints
import RigProtocol

/// The coordinator's messages on the collect channel, before they are sent.
enum CoordinatorCollectSendFault: String, SendFaultPoint {
    case helloRequired = "coordinator.collect.send.helloRequired"
    case chunkRequest = "coordinator.collect.send.chunkRequest"
    case durable = "coordinator.collect.send.durable"
    case keepAlive = "coordinator.collect.send.keepAlive"

    init(_ body: WireCollectFromCoordinator.OneOf_Body) {
        switch body {
        case .helloRequired: self = .helloRequired
        case .chunkRequest: self = .chunkRequest
        case .durable: self = .durable
        case .keepAlive: self = .keepAlive
        }
    }
}

/// Points where the coordinator's tasks of the collect channel wait.
enum CoordinatorCollectWaitFault: String, TaskFaultPoint {
    /// A message has arrived and is not read yet.
    case received = "coordinator.collect.wait.message"
}
