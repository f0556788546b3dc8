public import CaptureModel
public import FaultPoints
public import PosixSupport

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

/// The steps of an audit log's file work at which a test can make the disk fail.
public enum AuditFileFault: String, FileFaultPoint {
    case makeFolder = "audit.folder.make"
    case syncFolder = "audit.folder.sync"
    case openFile = "audit.file.open"
    case readFile = "audit.file.read"
    case writeFile = "audit.file.write"
    case syncFile = "audit.file.sync"
    case removeFile = "audit.file.remove"

    public init?(_ step: FileStep, path: String) {
        self.init(step, in: "audit", part: path.hasSuffix(AuditSegment.suffix) ? "file" : nil)
    }
}

/// Moments at which records of an audit log have been handed to the kernel, or have become durable.
public enum AuditFault: String, ThreadFaultPoint {
    case written = "audit.record.written"
    /// The records are durable; nobody who waits for that has been told.
    case durable = "audit.record.durable"
}

/// Calls `body` and converts the error of the disk.
func auditing<Result>(_ body: () throws(PosixError) -> Result) throws(AuditError) -> Result {
    do {
        return try body()
    } catch {
        throw AuditError(error)
    }
}
