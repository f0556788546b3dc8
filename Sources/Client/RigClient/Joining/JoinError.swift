import CaptureModel
internal import RigProtocol
import RigSecurity
import RigWire

/// Why a machine was not admitted.
public struct JoinError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// Nothing answers.
        case noCoordinator
        /// A program answers that does not have the coordinator's key.
        case wrongCoordinator
        /// The coordinator answers on another channel than that for joining.
        case wrongChannel
        /// The coordinator refused; the value is its code, listed in docs/protocol/join.md.
        case refused(String)
        /// No admin has approved the machine within the time that it was to wait.
        case notApproved
        /// The answer is none of this protocol.
        case malformedReply
    }

    public let code: Code
    /// A sentence that says what is wrong, and what to do.
    public let description: String
    /// How long to wait before another attempt; nil if waiting does not help.
    public let retryAfter: Duration?

    public init(_ code: Code, _ description: String, retryAfter: Duration? = nil) {
        self.code = code
        self.description = description
        self.retryAfter = retryAfter
    }
}
