public import CaptureModel
internal import PosixSupport
internal import ShotDocuments
internal import StorageKit

/// Why an export failed.
public typealias ExportError = OperationError<ExportErrorCode>

public enum ExportErrorCode: String, Hashable, Sendable, CaseIterable {
    /// The library has no such shot.
    case unknownShot
    /// The folder is not empty, or the layout does not fit the shots.
    case conflict
    /// A manifest is damaged.
    case corrupted
    case noSpace
    case inputOutput
}

extension ExportError {
    init(_ error: PosixError, room: FileSystemRoom? = nil) {
        self.init(
            error.isOutOfSpace ? .noSpace : .inputOutput, error.operation, error.subject,
            error.description(on: room))
    }

    init(_ error: StorageError) {
        let code: Code =
            switch error.code {
            case .noSpace: .noSpace
            case .corrupted: .corrupted
            case .conflict: .conflict
            case .notFound: .unknownShot
            case .inputOutput, .invalidRequest, .preconditionFailed: .inputOutput
            }
        self.init(code, error.operation, error.subject, error.cause)
    }

    /// Encodes a file of the export.
    static func encoding<Bytes>(_ work: () throws(DocumentError) -> Bytes) throws(ExportError) -> Bytes {
        do {
            return try work()
        } catch {
            throw ExportError(.inputOutput, error.operation, error.subject, error.description)
        }
    }
}
