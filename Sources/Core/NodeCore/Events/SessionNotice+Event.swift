import CaptureEngine
import CaptureModel

extension SessionNotice {
    /// The event's name on the bus.
    var name: EventName {
        switch self {
        case .didStartRunning: EventName(rawValue: "session.didStartRunning")
        case .didStopRunning: EventName(rawValue: "session.didStopRunning")
        case .wasInterrupted: EventName(rawValue: "session.wasInterrupted")
        case .interruptionEnded: EventName(rawValue: "session.interruptionEnded")
        case .runtimeError: EventName(rawValue: "session.runtimeError")
        }
    }

    var details: [String: String] {
        switch self {
        case .didStartRunning, .didStopRunning:
            return [:]
        case .wasInterrupted(let reason, let why):
            return ["interruption": reason.rawValue, "reason": why]
        case .interruptionEnded(let reason):
            return ["interruption": reason.rawValue]
        case .runtimeError(let why, let attempt):
            var details = ["reason": why, "restarts": "\(attempt != nil)"]
            details["attempt"] = attempt?.description
            return details
        }
    }
}
