import CaptureModel

internal import struct PosixSupport.UTCDate

/// Why the registry refused an operation, or why its document cannot be used.
public struct AccessError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No invitation has this token.
        case unknownCode
        /// The invitation's time has passed.
        case expired
        /// The coordinator's clock is before the time at which the invitation was made.
        case wrongClock
        /// The invitation was withdrawn.
        case withdrawn
        /// Another key has redeemed the invitation.
        case used
        /// Too many attempts to join; see ``AccessError/retryAfter``.
        case tooManyAttempts
        /// The key was revoked.
        case revoked
        /// The key belongs to another name or role.
        case keyInUse
        /// The name belongs to another key.
        case nameTaken
        /// Programs use the name for something else.
        case reservedName
        /// A limit of the registry is reached.
        case full
        /// An admin has declined the request of this key.
        case declined
        /// There is no such key, name, invitation or request.
        case notFound
        /// The registry has changed since the admin read it.
        case preconditionFailed
        /// The text selects several keys.
        case ambiguous
        /// The beginning of a fingerprint is too short for this operation.
        case tooShort
        /// A rotation of this name is under way.
        case rotating
        /// No rotation of this name is under way.
        case notRotating
        /// Nobody could manage keys afterwards.
        case lastAdmin
        /// A session is to have a permission that its maker does not have.
        case notHeld
        /// A session is to have a label, a validity or permissions that none can have.
        case badSession
        /// The bytes are not a registry's document.
        case damagedDocument
        /// A newer version of this program wrote the document.
        case newerDocument
        /// The registry cannot be represented in JSON.
        case unencodable
        /// Too many operations wait for the disk; see ``AccessError/retryAfter``.
        case overloaded
        /// The registry cannot be read or made durable.
        case notStored
        /// The audit log does not work.
        case notRecorded
    }

    public var code: Code
    /// The operation, as it reads after "cannot": `redeem`, `read`.
    public var operation: String
    /// What the operation was about: a name, a fingerprint, the document. Never a token.
    public var subject: String
    /// What is wrong; the beginning of a sentence.
    public var cause: String
    /// What to do; the end of the sentence.
    public var remedy: String
    /// How long to wait before another attempt; nil if waiting does not help.
    public var retryAfter: Duration?

    init(
        _ code: Code, _ operation: String, _ subject: String, _ cause: String, remedy: String,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
        self.retryAfter = retryAfter
    }

    public var description: String { "\(cause); \(remedy)" }
}

extension TimePoint where Base == WallTimeBase {
    /// The instant in UTC to the second, for messages.
    var text: String { UTCDate(realtimeNanoseconds: nanoseconds).description.prefix(19) + "Z" }
}
