public import CaptureModel

/// A key, fingerprint, address or join code that cannot be used. The subject is never the text of a join code, which is a secret.
public typealias SecurityError = OperationError<SecurityErrorCode>

public enum SecurityErrorCode: String, Hashable, Sendable, CaseIterable {
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
