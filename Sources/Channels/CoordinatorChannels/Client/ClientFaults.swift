import FaultPoints
import RigProtocol

/// The coordinator's replies to clients, before they are sent.
enum ClientSendFault: String, SendFaultPoint {
    case failure = "coordinator.client.send.failure"
    case progress = "coordinator.client.send.progress"
    case shot = "coordinator.client.send.shot"
    case deviceReply = "coordinator.client.send.deviceReply"
    case mark = "coordinator.client.send.mark"
    case annotation = "coordinator.client.send.annotation"
    /// The answer to a request that waits for no node.
    case listing = "coordinator.client.send.listing"

    init(_ body: WireClientReply.OneOf_Body) {
        switch body {
        case .failure: self = .failure
        case .progress: self = .progress
        case .shot: self = .shot
        case .deviceReply: self = .deviceReply
        case .takeMark: self = .mark
        case .shotAnnotation: self = .annotation
        case .deviceList, .forgotten, .status, .shotList, .verification, .unclaimedFiles, .events: self = .listing
        }
    }
}

/// Where the coordinator's tasks of the client channel wait.
enum ClientWaitFault: String, TaskFaultPoint {
    /// A request has come and is not read yet.
    case received = "coordinator.client.wait.request"
}
