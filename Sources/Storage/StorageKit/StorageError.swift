public import CaptureModel

/// Why a store did not perform an operation.
public typealias StorageError = OperationError<StorageErrorCode>

public enum StorageErrorCode: String, Hashable, Sendable, CaseIterable {
    /// The store is full, or a quota is exceeded.
    case noSpace
    /// The store failed or cannot be reached. It is unknown whether a write took effect; the same call may be repeated.
    case inputOutput
    /// Stored bytes are wrong: a damaged document, or an upload with another digest than announced.
    case corrupted
    /// Something else is stored under the name, or another writer was first.
    case conflict
    /// The store does not contain it.
    case notFound
    /// Something has changed since the caller read it.
    case preconditionFailed
    /// The caller violated the protocol.
    case invalidRequest
}
