public import CaptureModel
internal import PosixSupport
internal import ShotDocuments

/// Why a spool did not perform an operation.
public typealias SpoolError = OperationError<SpoolErrorCode>

public enum SpoolErrorCode: String, Hashable, Sendable, CaseIterable {
    /// The disk, a quota or the spool's limit leaves no room.
    case noSpace
    /// The disk failed. It is unknown whether a write took effect; the same call may be repeated.
    case inputOutput
    /// The spool does not have the file, or somebody has removed it from the disk.
    case notFound
    /// The capture was removed from the spool while something was made for it.
    case discarded
    /// The library stored other bytes than the spool has.
    case conflict
    /// The caller requested something that a spool does not do.
    case invalidRequest
}

extension SpoolError {
    /// Converts the error of a failed file operation.
    /// - Parameter room: That of the disk, which the message about a full disk includes.
    init(_ error: PosixError, room: FileSystemRoom? = nil) {
        self.init(
            error.isOutOfSpace ? .noSpace : .inputOutput, error.operation, error.subject,
            error.description(on: room))
    }
}

extension Folder {
    /// Performs file work on the file system of this folder, and converts its error.
    func attempt<Result: ~Copyable>(
        _ work: () throws(PosixError) -> Result
    ) throws(SpoolError) -> Result {
        do {
            return try work()
        } catch {
            throw SpoolError(error, room: try? room())
        }
    }
}

extension StoredJSON {
    /// Returns the bytes of a document of the spool.
    /// - Parameter what: The document in error messages, as the beginning of a sentence.
    static func spoolDocument(_ value: some Encodable, _ what: String) throws(SpoolError) -> [UInt8] {
        do throws(DocumentError) {
            return try encoded(value, what)
        } catch {
            throw SpoolError(.inputOutput, error.operation, error.subject, error.cause)
        }
    }
}
