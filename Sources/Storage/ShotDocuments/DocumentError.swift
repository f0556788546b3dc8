/// Why a JSON document of a shot, a take or a capture cannot be written or read.
public struct DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// A value cannot be represented in JSON, such as a number that is not finite.
        case unencodable
        /// The bytes do not match the document's format.
        case damaged
        /// A newer version of this program wrote it.
        case newerVersion
    }

    public var code: Code
    /// The operation, as it reads after "cannot": `write`, `read`.
    public var operation: String
    /// The document, such as `the manifest of shot …`.
    public var subject: String
    /// A sentence that states the problem. For a document that was read it does not name the file, which only the reader knows.
    public var cause: String

    public init(_ code: Code, _ operation: String, _ subject: String, _ cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.cause = cause
    }

    public var description: String { cause }
}
