public import FaultPoints
public import PosixSupport

/// Why an audit log did not perform an operation.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
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
        /// The end of the log is no intact record.
        case damaged
        /// The caller requested something that a log does not do.
        case invalidRequest
    }

    public let code: Code
    /// The operation, as it reads after "cannot": `append to`, `read`.
    public let operation: String
    /// The subject of the operation: a file or a folder.
    public let subject: String
    /// A sentence that names the subject, the problem and what to do.
    public let cause: String

    init(_ code: Code, _ operation: String, _ subject: String, _ cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.cause = cause
    }

    public var description: String { cause }

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
