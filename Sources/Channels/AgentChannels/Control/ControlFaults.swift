import CaptureEngine
import CaptureModel
import FaultPoints
import NodeCore

/// The agent's messages on the control channel, before they are sent.
enum ControlSendFault: String, SendFaultPoint {
    case hello = "agent.control.send.hello"
    case heartbeat = "agent.control.send.heartbeat"
    case prepareResult = "agent.control.send.prepareResult"
    case captured = "agent.control.send.captured"
    /// The report of a capture with a movie, which has ended.
    case recorded = "agent.control.send.recorded"
    case missed = "agent.control.send.missed"
    case events = "agent.control.send.events"
    case deviceAnswer = "agent.control.send.deviceAnswer"
    case inventory = "agent.control.send.inventory"

    init(_ message: NodeMessage) {
        switch message {
        case .hello: self = .hello
        case .heartbeat: self = .heartbeat
        case .prepareResult: self = .prepareResult
        case .captureResult(.captured(let report)): self = report.movie == nil ? .captured : .recorded
        case .captureResult(.missed): self = .missed
        case .events: self = .events
        case .deviceAnswer: self = .deviceAnswer
        case .inventory: self = .inventory
        }
    }
}

/// Where the agent's tasks of the control channel wait.
enum ControlWaitFault: String, TaskFaultPoint {
    /// A message has come and is not read yet.
    case received = "agent.control.wait.message"
    /// A capture has a further file, which is about to be told.
    case grown = "agent.control.wait.grown"
}
