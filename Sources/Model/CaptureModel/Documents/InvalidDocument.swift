/// A document that says what it cannot say: which member, and what is allowed.
public struct InvalidDocument: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member, such as `settings.bracket[2].gain`; empty for the complete document.
    public var path: String
    /// What is wrong and what is allowed: the end of a sentence whose subject is the member.
    public var reason: String

    public init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    /// The same mistake in a document that has this one as `member`.
    public func within(_ member: String) -> InvalidDocument {
        let separator = path.isEmpty || member.isEmpty || path.hasPrefix("[") ? "" : "."
        return InvalidDocument(member + separator + path, reason)
    }

    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
