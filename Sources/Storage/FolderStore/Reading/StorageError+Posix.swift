internal import CaptureModel
internal import PosixSupport
internal import StorageKit

extension StorageError {
    /// What a failed file operation means.
    /// - Parameter freeBytes: What the disk has left, to be told beside a full disk.
    init(_ error: PosixError, freeBytes: Int64? = nil) {
        let free = error.isOutOfSpace ? freeBytes.map { " (\($0) bytes free)" } ?? "" : ""
        self.init(
            error.isOutOfSpace ? .noSpace : .inputOutput, error.operation, error.subject, error.description + free)
    }

    /// A document that cannot be encoded or decoded.
    init(_ problem: CaptureProblem, _ operation: String, _ subject: String) {
        let code: Code = problem.code == .corrupted ? .corrupted : .inputOutput
        self.init(code, operation, subject, problem.message)
    }
}

extension Folder {
    /// Does file work on the file system of this folder, and turns its error into the store's.
    func attempt<Result: ~Copyable>(
        _ work: () throws(PosixError) -> Result
    ) throws(StorageError) -> Result {
        do {
            return try work()
        } catch {
            throw StorageError(error, freeBytes: try? freeBytes())
        }
    }
}
