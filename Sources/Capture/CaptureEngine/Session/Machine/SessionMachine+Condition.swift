import CameraKit
import CaptureModel

/// A machine's state, as a session's condition has it.
extension SessionMachine {
    /// What the last attempt showed of the permission to open the device.
    var authorization: AuthorizationStatus {
        switch state {
        case .notAuthorized(let status, _): status
        case .interrupted(.accessRevoked, _): .denied
        default: hasRun || hardware == .open ? .authorized : .notDetermined
        }
    }
}

extension SessionMachine.State {
    var phase: SessionCondition.Phase {
        switch self {
        case .stopped: .stopped
        case .starting: .starting
        case .running: .running
        case .stopping: .stopping
        case .interrupted: .interrupted
        case .restarting: .restarting
        case .notAuthorized: .notAuthorized
        case .configurationFailed: .configurationFailed
        case .failed: .failed
        }
    }

    var interruption: InterruptionReason? {
        if case .interrupted(let reason, _) = self { reason } else { nil }
    }

    var attempt: Int? {
        if case .restarting(let attempt, _) = self { attempt } else { nil }
    }

    var failedStep: String? {
        if case .configurationFailed(let step, _) = self { step } else { nil }
    }
}
