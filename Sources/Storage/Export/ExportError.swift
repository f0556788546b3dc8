internal import CaptureModel
internal import PosixSupport
internal import StorageKit

/// Why an export was not made.
public struct ExportError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The library has no such shot.
        case unknownShot
        /// The folder has something in it, or the layout does not fit the shots.
        case conflict
        /// A manifest is damaged.
        case corrupted
        case noSpace
        case inputOutput
    }

    public var code: Code
    /// What was tried, as it reads after "cannot".
    public var operation: String
    /// The shot, file or folder it was tried on.
    public var subject: String
    /// A sentence that says what is wrong and what to do.
    public var cause: String

    init(_ code: Code, _ operation: String, _ subject: some CustomStringConvertible, _ cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject.description
        self.cause = cause
    }

    public var description: String { cause }

    init(_ error: PosixError, freeBytes: Int64? = nil) {
        let free = error.isOutOfSpace ? freeBytes.map { " (\($0) bytes free)" } ?? "" : ""
        self.init(
            error.isOutOfSpace ? .noSpace : .inputOutput, error.operation, error.subject, error.description + free)
    }

    init(_ error: StorageError) {
        let code: Code =
            switch error.code {
            case .noSpace: .noSpace
            case .corrupted: .corrupted
            case .conflict: .conflict
            case .notFound: .unknownShot
            case .inputOutput, .invalidRequest: .inputOutput
            }
        self.init(code, error.operation, error.subject, error.cause)
    }

    /// Encodes a file of the export.
    static func encoding<Bytes>(_ work: () throws(CaptureProblem) -> Bytes) throws(ExportError) -> Bytes {
        do {
            return try work()
        } catch {
            throw ExportError(.inputOutput, "encode", "a file of the export", error.message)
        }
    }
}

extension Folder {
    /// Does file work on the file system of this folder, and turns its error into the export's.
    func attempt<Result: ~Copyable>(
        _ work: () throws(PosixError) -> Result
    ) throws(ExportError) -> Result {
        do {
            return try work()
        } catch {
            throw ExportError(error, freeBytes: try? freeBytes())
        }
    }
}
