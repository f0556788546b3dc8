extension ZeroMQError: CustomStringConvertible {
    /// A sentence a person can act on.
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
