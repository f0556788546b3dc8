import CaptureModel

/// A key, fingerprint, address or join code that cannot be used.
public struct SecurityError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The text is not a join code at all.
        case notACode
        /// The end of a join code is missing.
        case cutOff
        /// Characters of a join code were changed, added or exchanged.
        case mistyped
        /// A later version of this program made the join code.
        case newerVersion
        /// A join code is intact and its content is not allowed.
        case malformed
        /// A join code would have more bytes or endpoints than are allowed.
        case tooLong
        /// The text is not an endpoint of a join socket.
        case badEndpoint
        /// The bytes or the text are not a public key.
        case badKey
        /// The text is not a fingerprint, or too little of one.
        case badFingerprint
    }

    public var code: Code
    /// The operation, as it reads after "cannot": `read`, `make`.
    public var operation: String
    /// What the operation was about, such as `join code`. Never the text of a join code, which is a secret.
    public var subject: String
    /// A sentence that says what is wrong, and what to do.
    public var cause: String

    public init(_ code: Code, _ operation: String, _ subject: String, _ cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.cause = cause
    }

    public var description: String { cause }
}

extension String {
    /// The beginning of a text of unknown length, for a message.
    var excerpt: String {
        printable(limit: 64) + (unicodeScalars.count > 64 ? "…" : "")
    }
}
