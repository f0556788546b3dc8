internal import CZeroMQ
internal import Glibc
internal import PosixSupport

/// An error of libzmq or of the system, with the operation and its subject.
public struct ZeroMQError: Error, Sendable, Hashable {
    /// The name of the errno value, such as `EADDRINUSE`, or one of libzmq's own, such as `ETERM`.
    public let code: String
    /// The operation, such as `bind`.
    public let operation: String
    /// The endpoint, option or thread concerned, if there is one.
    public let endpoint: String?

    /// Creates an error for a problem found before libzmq was called.
    public init(code: String, operation: String, endpoint: String? = nil) {
        self.code = code
        self.operation = operation
        self.endpoint = endpoint
    }

    init(errorNumber: Int32, operation: String, endpoint: String? = nil) {
        self.init(code: Self.name(of: errorNumber), operation: operation, endpoint: endpoint)
    }

    /// Returns the error of the libzmq call that just failed on this thread.
    static func last(_ operation: String, _ endpoint: String? = nil) -> ZeroMQError {
        ZeroMQError(errorNumber: zmq_errno(), operation: operation, endpoint: endpoint)
    }

    static func name(of errorNumber: Int32) -> String {
        guard let name = unsafe czmq_error_name(errorNumber) else { return "EUNKNOWN" }
        return unsafe String(cString: name)
    }
}

extension ZeroMQError: CustomStringConvertible {
    /// A sentence that tells the reader what to do.
    public var description: String {
        let subject = endpoint.map { " \($0)" } ?? ""
        return "Cannot \(operation)\(subject): \(reason) (\(code))."
    }

    private var reason: String {
        switch code {
        case "EADDRINUSE": "another program or socket has this address; stop it or choose another port"
        case "EADDRNOTAVAIL": "this machine has no such address; use an address of one of its interfaces"
        case "ENODEV": "this machine has no such network interface or address; check the name with `ip address`"
        case "EACCES", "EPERM": "permission is missing; choose a port above 1023 or a folder this user may write to"
        case "EINVAL": "the value is not valid here; an endpoint looks like tcp://192.168.1.5:5555 or inproc://name"
        case "EPROTONOSUPPORT": "this transport is not supported; use tcp, ipc or inproc"
        case "ENOCOMPATPROTO": "this transport does not fit the socket's type"
        case "ENAMETOOLONG": "the name is too long"
        case "ENOENT": "there is no such endpoint or file"
        case "ECONNREFUSED": "nothing is bound to this address"
        case "EMFILE", "ENFILE": "too many files and sockets are open; raise the limit (ulimit -n)"
        case "EAGAIN", "ENOMEM": "the system is out of memory or threads"
        case "EMTHREAD": "the context has no input/output thread"
        case "ETERM": "the context has been shut down"
        case "ENOTSOCK": "the socket is closed"
        case "ECANCELED": "the executor has been stopped"
        default: "the system refused"
        }
    }
}
