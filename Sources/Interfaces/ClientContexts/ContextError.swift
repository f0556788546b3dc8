public import KeyFiles

/// A context that cannot be used, or a list of contexts that cannot be read or changed.
public struct ContextError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// A name, path or endpoint is not one.
        case invalid
        /// There is no context of that name.
        case unknown
        /// There is a context of that name.
        case exists
        /// There are too many contexts.
        case tooMany
        /// Neither a context nor the key of the coordinator's machine can be used.
        case noContext
        /// The file of the contexts is damaged. It is kept.
        case damaged
        /// A later version of the program wrote the file of the contexts. It is kept.
        case laterVersion
        /// Nothing says where the file of the contexts is.
        case noHome
        /// The file of the contexts cannot be read or written; the cause says why.
        case inaccessible
    }

    public var code: Code
    /// The operation, as it reads after "cannot", such as `use the context`.
    public var operation: String
    /// The name or path concerned.
    public var subject: String
    /// What is wrong.
    public var reason: String
    /// What to do, as the end of a sentence.
    public var remedy: String
    /// What is wrong with a file, if that is the reason.
    public var cause: KeyFileError?

    init(
        _ code: Code, _ operation: String, _ subject: String, _ reason: String, remedy: String,
        cause: KeyFileError? = nil
    ) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.reason = reason
        self.remedy = remedy
        self.cause = cause
    }

    /// The error of a file that cannot be used.
    init(_ error: KeyFileError) {
        let cause = error.mended(by: "set XDG_CONFIG_HOME")
        let remedy = cause.command.map { "\(cause.remedy): \($0)" } ?? cause.remedy
        self.init(.inaccessible, cause.operation, cause.subject, cause.reason, remedy: remedy, cause: cause)
    }

    public var description: String { "cannot \(operation) \(subject): \(reason); \(remedy)" }
}
