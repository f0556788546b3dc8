package import CaptureModel
package import StorageKit

extension RigProblem {
    /// Translates an error of a store to a problem of a shot.
    package init(_ error: StorageError) {
        let code: Code =
            switch error.code {
            case .noSpace: .noSpace
            case .inputOutput: .inputOutput
            case .corrupted: .corrupted
            case .conflict: .conflict
            case .notFound: .unknownShot
            case .preconditionFailed: .preconditionFailed
            case .invalidRequest: .protocolViolation
            }
        self.init(code, error.description)
    }
}
