/// Why an operation was not performed. A module gives its codes and a name: `StorageError` is `OperationError<StorageErrorCode>`.
public struct OperationError<Kind: Hashable & Sendable>: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure, for use in code.
    public typealias Code = Kind

    public var code: Code
    /// The operation, as it reads after "cannot": `append to`, `read`.
    public var operation: String
    /// The subject of the operation: a shot, a file, a folder, a document.
    public var subject: String
    /// A sentence that names the subject, the problem and what to do.
    public var cause: String

    public init(_ code: Code, _ operation: String, _ subject: some CustomStringConvertible, _ cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject.description
        self.cause = cause
    }

    public var description: String { cause }
}
