public import CaptureModel
public import PosixSupport

extension CaptureProblem {
    /// The outcome that a failed file operation means: `noSpace` for a full disk or quota, else `inputOutput`.
    /// - Parameter freeBytes: What the disk has left, to be told beside a full disk.
    public init(_ error: PosixError, freeBytes: Int64? = nil) {
        guard error.isOutOfSpace else {
            self.init(.inputOutput, error.description)
            return
        }
        let free = freeBytes.map { " (\($0) bytes free)" } ?? ""
        self.init(.noSpace, error.description + free)
    }
}

extension Folder {
    /// Does file work on the file system of this folder, and turns its error into the outcome it means.
    public func attempt<Result: ~Copyable>(
        _ work: () throws(PosixError) -> Result
    ) throws(CaptureProblem) -> Result {
        do {
            return try work()
        } catch {
            throw CaptureProblem(error, freeBytes: try? freeBytes())
        }
    }
}
