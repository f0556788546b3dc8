/// Why a request to the coordinator has no result.
public struct RigClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure, for programs.
    public enum Code: Hashable, Sendable {
        /// Nothing answered in time: no coordinator runs there, or the network between is down.
        case noCoordinator
        /// The coordinator answered before and does so no longer; a shot may still be under way.
        case lostCoordinator
        /// The selection takes no device of the rig.
        case nothingSelected
        /// The coordinator did not carry the request out; the value is its code, listed in docs/protocol/problems.md.
        case refused(String)
        /// The answer is not what the protocol allows.
        case malformedReply
        /// The client has been closed, or its socket could not be made.
        case closed
    }

    public var code: Code
    /// The request, such as `devices`.
    public var operation: String
    /// The coordinator's endpoint, or empty before `connect`.
    public var endpoint: String
    /// A sentence: why, and what to do.
    public var cause: String

    public init(_ code: Code, operation: String, endpoint: String, cause: String) {
        self.code = code
        self.operation = operation
        self.endpoint = endpoint
        self.cause = cause
    }

    public var description: String {
        switch code {
        case .nothingSelected, .refused: cause
        default: "\(operation): \(cause)"
        }
    }
}

extension RigClientError {
    /// Nothing answers at `endpoint`.
    static func noCoordinator(_ endpoint: String, operation: String, waited: Duration) -> RigClientError {
        RigClientError(
            .noCoordinator, operation: operation, endpoint: endpoint,
            cause: "no coordinator answers at \(endpoint) (waited \(waited)); start capcoordd there, or name another "
                + "endpoint")
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
