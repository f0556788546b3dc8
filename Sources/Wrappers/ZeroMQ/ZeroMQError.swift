internal import CZeroMQ
internal import Glibc

/// A refusal of libzmq or of the system, with what was attempted and on what.
public struct ZeroMQError: Error, Sendable, Hashable {
    /// The name of the errno value, such as `EADDRINUSE`, or one of libzmq's own, such as `ETERM`.
    public let code: String
    /// What was attempted, such as `bind`.
    public let operation: String
    /// The endpoint, option or thread concerned, where there is one.
    public let endpoint: String?

    /// Makes an error for a reason found before libzmq was asked.
    public init(code: String, operation: String, endpoint: String? = nil) {
        self.code = code
        self.operation = operation
        self.endpoint = endpoint
    }

    init(errorNumber: Int32, operation: String, endpoint: String? = nil) {
        self.init(code: Self.name(of: errorNumber), operation: operation, endpoint: endpoint)
    }

    /// The error of the libzmq call that has just failed on this thread.
    static func last(_ operation: String, _ endpoint: String? = nil) -> ZeroMQError {
        ZeroMQError(errorNumber: zmq_errno(), operation: operation, endpoint: endpoint)
    }

    static func name(of errorNumber: Int32) -> String {
        guard let name = unsafe czmq_error_name(errorNumber) else { return "EUNKNOWN" }
        return unsafe String(cString: name)
    }
}
