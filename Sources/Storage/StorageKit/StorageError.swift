public import CaptureModel

/// Why a store did not do what it was asked for.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The store is full, or a quota is used up.
        case noSpace
        /// The store cannot be reached, or failed. Whether a write took effect is not known; the same call may be repeated.
        case inputOutput
        /// Stored bytes are not what they should be: a damaged document, or an upload with another digest than announced.
        case corrupted
        /// Something else is stored under the name, or another writer was first.
        case conflict
        /// The store does not have it.
        case notFound
        /// The caller asked for what the protocol does not allow.
        case invalidRequest
    }

    public var code: Code
    /// What was tried, as it reads after "cannot": `append to`, `read`.
    public var operation: String
    /// What it was tried on: a shot, a file, a folder.
    public var subject: String
    /// A sentence that names the subject and says what is wrong and what to do.
    public var cause: String

    public init(_ code: Code, _ operation: String, _ subject: some CustomStringConvertible, _ cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject.description
        self.cause = cause
    }

    public var description: String { cause }
}

extension CaptureProblem {
    /// What the failure of a store means to a shot.
    public init(_ error: StorageError) {
        let code: Code =
            switch error.code {
            case .noSpace: .noSpace
            case .inputOutput: .inputOutput
            case .corrupted: .corrupted
            case .conflict: .conflict
            case .notFound: .unknownShot
            case .invalidRequest: .protocolViolation
            }
        self.init(code, error.description)
    }
}
