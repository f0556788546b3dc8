internal import CaptureModel
internal import Export
internal import RigClient
internal import StorageKit

extension CommandStatus {
    /// The status of a command that ends with `error`.
    init(of error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure.status
        case let error as RigClientError: self = Self.status(of: error.code)
        // What a library's folder refuses is refused, as by a coordinator.
        case is CaptureProblem, is StorageError, is ExportError: self = .failed
        default: self = .other
        }
    }

    /// The status of a shot as its command was answered; one that is still open lacks something.
    init(of shot: Shot.Status) {
        switch shot {
        case .complete: self = .complete
        case .open, .partial: self = .partial
        case .failed: self = .failed
        }
    }

    private static func status(of code: RigClientError.Code) -> CommandStatus {
        switch code {
        case .noCoordinator, .lostCoordinator: .noCoordinator
        case .nothingSelected: .nothingSelected
        case .refused: .failed
        case .malformedReply, .closed: .other
        }
    }
}
