import CaptureModel
internal import RigProtocol
import RigSecurity

/// Why a request to the coordinator has no result.
public struct RigClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure, for programs.
    public enum Code: Hashable, Sendable {
        /// No answer in time: no coordinator runs there, or the network between is down.
        case noCoordinator
        /// The coordinator does not admit the client's key.
        case keyRefused
        /// A program answers that does not have the coordinator's key, or it accepts no further connection.
        case wrongCoordinator
        /// The coordinator has stopped answering, or does not answer a change in time; a shot may still be under way.
        case lostCoordinator
        /// The selection matches no device of the rig.
        case nothingSelected
        /// The coordinator refused the request; the value is its code, listed in docs/protocol/problems.md.
        case refused(String)
        /// The protocol does not allow the answer.
        case malformedReply
        /// The bytes of a stored file are not those of its manifest.
        case altered
        /// The client has been closed, or its socket could not be created.
        case closed
    }

    public var code: Code
    /// The request, such as `devices`.
    public var operation: String
    /// The coordinator's endpoint, or empty before `connect`.
    public var endpoint: String
    /// A sentence that states the reason and what to do.
    public var cause: String

    public init(_ code: Code, operation: String, endpoint: String, cause: String) {
        self.code = code
        self.operation = operation
        self.endpoint = endpoint
        self.cause = cause
    }

    public var description: String {
        switch code {
        case .nothingSelected, .refused, .altered, .noCoordinator, .keyRefused, .wrongCoordinator: cause
        default: "\(operation): \(cause)"
        }
    }
}

extension RigClientError {
    /// Nothing answers at `endpoint`.
    static func noCoordinator(_ endpoint: String, operation: String, waited: Duration) -> RigClientError {
        RigClientError(
            .noCoordinator, operation: operation, endpoint: endpoint,
            cause:
                "no coordinator answers at \(endpoint) (waited \(waited.text)); start capcoordd there, or name another "
                + "endpoint")
    }

    /// The coordinator at `endpoint` gives signs of life, but no answer to a change.
    static func late(_ endpoint: String, operation: String, waited: Duration) -> RigClientError {
        RigClientError(
            .lostCoordinator, operation: operation, endpoint: endpoint,
            cause:
                "the coordinator at \(endpoint) is alive, but has not said within \(waited.text) whether it made the "
                + "change: its disk may be slow, or hang; see what is so before you repeat it")
    }

    static func malformed(_ reason: String, operation: String, endpoint: String) -> RigClientError {
        RigClientError(
            .malformedReply, operation: operation, endpoint: endpoint,
            cause: "the coordinator at \(endpoint) gave an answer that the protocol does not allow (\(reason)); "
                + "use programs of the same version")
    }

    static func closed(operation: String, endpoint: String, reason: String = "the client is closed") -> RigClientError {
        RigClientError(.closed, operation: operation, endpoint: endpoint, cause: reason)
    }
}
