import FaultPoints
import RigProtocol

/// The agent's messages on the collect channel, before they are sent.
enum CollectSendFault: String, SendFaultPoint {
    case hello = "agent.collect.send.hello"
    case chunk = "agent.collect.send.chunk"
    case chunkRefused = "agent.collect.send.chunkRefused"
    case released = "agent.collect.send.released"
    case keepAlive = "agent.collect.send.keepAlive"

    init(_ body: WireCollectFromAgent.OneOf_Body) {
        switch body {
        case .hello: self = .hello
        case .chunk: self = .chunk
        case .chunkRefused: self = .chunkRefused
        case .released: self = .released
        case .keepAlive: self = .keepAlive
        }
    }
}

/// Where the agent's tasks of the collect channel wait.
enum CollectWaitFault: String, TaskFaultPoint {
    /// A message has come and is not read yet.
    case received = "agent.collect.wait.message"
}
