import CaptureEngine
import CaptureModel
import RigProtocol
import RigWire

extension CaptureResult {
    /// The message that tells the coordinator.
    var wire: WireAgentMessage.OneOf_Body {
        switch self {
        case .captured(let report):
            return .captured(report.wire)
        case .missed(let key, let problem):
            var missed = WireCaptureMissed()
            missed.shotID = key.shot.wire
            missed.device = key.device.device.rawValue
            missed.problem = problem.wire
            return .missed(missed)
        }
    }
}
