internal import CaptureModel
internal import Dispatch
internal import Export
internal import Glibc
internal import RigClient
internal import RigJoining
internal import Spool
internal import StorageKit

/// The exit status of a command; listed in `docs/capctl.md`.
public enum CommandStatus: Int32, Sendable, CaseIterable {
    /// Everything that was requested exists.
    case complete = 0
    /// A failure without a separate status, such as a file that cannot be read.
    case other = 1
    /// Some captures are complete, others are not; or a picture exceeds a limit of its shot.
    case partial = 3
    /// No capture is complete, or the request was refused.
    case failed = 4
    /// The selection matches no device, or a device that is named is none of the rig's.
    case nothingSelected = 5
    /// No coordinator answers.
    case noCoordinator = 6
    /// The command line is wrong (`EX_USAGE`).
    case usage = 64
    /// Ended by a signal before it was finished.
    case interrupted = 130

    /// The worse of two statuses, for a command that does several things.
    func worse(_ other: CommandStatus) -> CommandStatus {
        rawValue >= other.rawValue ? self : other
    }
}

extension CommandStatus {
    /// The status of a command that ends with `error`.
    init(of error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure.status
        case let error as RigClientError: self = Self.status(of: error.code)
        case let error as JoinError: self = CommandStatus(rawValue: error.exitStatus) ?? .other
        // A refusal by the folder of a library or spool counts as a refusal by a coordinator.
        case let problem as RigProblem where problem.code == .unknownDevice: self = .nothingSelected
        case is RigProblem, is StorageError, is ExportError, is SpoolError: self = .failed
        default: self = .other
        }
    }

    /// The status for the outcome of a shot; a shot that is still open, or has a picture beyond its limits, is partial.
    init(of shot: Shot) {
        switch shot.status {
        case .complete: self = shot.captures.allSatisfy(\.exceeds.isEmpty) ? .complete : .partial
        case .open, .partial: self = .partial
        case .failed: self = .failed
        }
    }

    private static func status(of code: RigClientError.Code) -> CommandStatus {
        switch code {
        case .noCoordinator, .lostCoordinator: .noCoordinator
        case .nothingSelected, .refused(RigProblem.Code.unknownDevice.rawValue): .nothingSelected
        case .refused, .altered, .keyRefused, .wrongCoordinator: .failed
        case .malformedReply, .closed: .other
        }
    }
}
