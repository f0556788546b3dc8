public import CaptureModel
import PosixSupport

/// Why an audit log did not perform an operation.
public typealias AuditError = OperationError<AuditErrorCode>

public enum AuditErrorCode: String, Hashable, Sendable, CaseIterable {
    /// The disk or a quota leaves no room.
    case noSpace
    /// The disk failed.
    case inputOutput
    /// Another process writes the log.
    case inUse
    /// Others than its owner may use the folder, or it belongs to another user.
    case notPrivate
    /// Too many entries wait to become durable.
    case overloaded
    /// There is no log.
    case notFound
    /// The end of the log is not an intact record.
    case damaged
    /// The caller requested something that a log does not do.
    case invalidRequest
}

extension AuditError {
    /// Converts the error of a failed file operation.
    init(_ error: PosixError) {
        self.init(
            error.isOutOfSpace ? .noSpace : .inputOutput, error.operation, error.subject,
            "the audit log fails: \(error)")
    }
}

/// Calls `body` and converts the error of the disk.
func auditing<Result>(_ body: () throws(PosixError) -> Result) throws(AuditError) -> Result {
    do {
        return try body()
    } catch {
        throw AuditError(error)
    }
}
