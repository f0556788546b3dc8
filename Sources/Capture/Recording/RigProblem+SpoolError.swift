public import CaptureModel
public import Spool

extension RigProblem {
    /// Translates the failure of a spool to a problem of a capture.
    public init(_ error: SpoolError) {
        let code: Code =
            switch error.code {
            case .noSpace: .noSpace
            case .inputOutput: .inputOutput
            case .notFound: .fileLost
            case .discarded: .discarded
            case .conflict: .conflict
            case .invalidRequest: .protocolViolation
            }
        self.init(code, error.description)
    }
}

extension Spool {
    /// Performs work in the spool for a capture. A failure is thrown as the capture's problem.
    package nonisolated func attempt<Result>(
        _ work: (Spool) throws(SpoolError) -> Result
    ) throws(RigProblem) -> Result {
        do throws(SpoolError) {
            return try work(self)
        } catch {
            throw RigProblem(error)
        }
    }

    /// Performs work in the spool for a capture. A failure is thrown as the capture's problem.
    package nonisolated func attempt<Result>(
        _ work: (Spool) async throws(SpoolError) -> Result
    ) async throws(RigProblem) -> Result {
        do throws(SpoolError) {
            return try await work(self)
        } catch {
            throw RigProblem(error)
        }
    }
}
