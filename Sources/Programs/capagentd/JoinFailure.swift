import ArgumentParser
import CaptureModel
import DaemonSupport
import KeyFiles
import RigConfiguration
import RigJoining
import RigSecurity

/// Why a node did not join, other than for its command line or configuration, or by the coordinator's decision.
struct JoinFailure: Error, CustomStringConvertible {
    let description: String
    let exitCode: ExitCode

    init(_ description: String, _ exitCode: ExitCode = .failure) {
        self.description = description
        self.exitCode = exitCode
    }

    static func status(of error: any Error) -> ExitCode {
        switch error {
        case let failure as JoinFailure: failure.exitCode
        case is ValidationError, is SecurityError, is ConfigurationError, is InvalidName, is UnreadableConfiguration:
            Daemon.badConfiguration
        default: ExitCode(RigJoin.exitStatus(of: error))
        }
    }
}
