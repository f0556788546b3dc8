internal import CZeroMQ
internal import Glibc
internal import Synchronization

extension SocketCore {
    final func connect(to endpoint: String) throws(ZeroMQError) {
        try check("connect to", endpoint)
        let host = EndpointHost(endpoint)
        try handle.setIPv6(host == .ipv6)
        try handle.connect(to: endpoint)
        if host == .name { names[endpoint] = AddressFamilySearch() }
        connectedEndpoints.append(endpoint)
    }

    final func disconnect(from endpoint: String) throws(ZeroMQError) {
        try check("disconnect from", endpoint)
        names[endpoint] = nil
        // Reads earlier events of the connection first, so that they are not reported after its end.
        handleMonitor()
        try handle.disconnect(from: endpoint)
        isConnected = false
        connectedEndpoints.removeAll { $0 == endpoint }
    }

    final func reconnect() throws(ZeroMQError) {
        handleMonitor()
        for endpoint in connectedEndpoints {
            try check("reconnect to", endpoint)
            try connectAnew(to: endpoint, usingIPv6: names[endpoint]?.usesIPv6 ?? (EndpointHost(endpoint) == .ipv6))
        }
    }

    /// Switches the address family of a name. libzmq resolves a name to addresses of one family, even if the peer listens on the other. So
    /// a name that cannot be connected to is connected to again with the other family.
    final func follow(_ event: ConnectionEvent) {
        guard isOpen, event.kind == .handshakeSucceeded || event.isFailedAttempt, let port = event.port else { return }
        // Events contain the address of a name, once it is resolved, so names are compared by port.
        let meant = names.keys.filter { EndpointHost.port(of: $0) == port }
        guard meant.count == 1, let endpoint = meant.first, var search = names[endpoint] else { return }
        if event.kind == .handshakeSucceeded {
            search.succeeded()
        } else if search.failed() {
            // Fails only if the context is being shut down, which the poll loop detects.
            try? connectAnew(to: endpoint, usingIPv6: search.usesIPv6)
        }
        names[endpoint] = search
    }

    private func connectAnew(to endpoint: String, usingIPv6: Bool) throws(ZeroMQError) {
        try handle.setIPv6(usingIPv6)
        try handle.disconnect(from: endpoint)
        isConnected = false
        try handle.connect(to: endpoint)
    }

    final func bind(to endpoint: String) throws(ZeroMQError) -> String {
        try check("bind to", endpoint)
        let host = EndpointHost(endpoint)
        try handle.setIPv6(host == .ipv6 || host == .any)
        do {
            return try handle.bind(to: endpoint)
        } catch {
            // libzmq's notification of the monitor overwrites errno, so the monitor has the actual error.
            handleMonitor()
            guard error.code == "EAGAIN", let code = lastBindFailure else { throw error }
            throw ZeroMQError(code: code, operation: error.operation, endpoint: endpoint)
        }
    }

    /// - Parameter socket: The socket's actor.
    final func rebind(_ endpoint: String, isolation socket: isolated any Actor) async throws(ZeroMQError) {
        try unbind(from: endpoint)
        // The port is in use until libzmq's I/O thread has closed the listener.
        await withCheckedContinuation { continuation in
            socket.preconditionIsolated()
            closing[endpoint, default: []].append(continuation)
        }
        _ = try bind(to: endpoint)
    }

    /// libzmq copies the options of a socket into each listener and connection.
    final func secure(with security: SocketSecurity) throws(ZeroMQError) {
        guard isOpen else { throw ZeroMQError(code: "ENOTSOCK", operation: "secure") }
        try security.apply(to: handle)
    }

    final func unbind(from endpoint: String) throws(ZeroMQError) {
        try check("unbind from", endpoint)
        // Reads earlier events first, among them those of connections that have just been accepted.
        handleMonitor()
        try handle.unbind(from: endpoint)
        if let port = EndpointHost.port(of: endpoint) { listeningEnded(at: port) }
    }

    /// Checks that the socket is open, since a closed socket's pointer must not reach libzmq, and that the text has no NUL, which would cut
    /// it off.
    private func check(_ operation: String, _ endpoint: String) throws(ZeroMQError) {
        guard isOpen else { throw ZeroMQError(code: "ENOTSOCK", operation: operation, endpoint: endpoint) }
        guard !endpoint.utf8.contains(0) else {
            throw ZeroMQError(code: "EINVAL", operation: operation, endpoint: endpoint)
        }
    }
}

/// The kind of an endpoint's host, which determines the family of its address.
enum EndpointHost: Equatable {
    /// `*`: all IPv6 and IPv4 addresses.
    case any
    /// An IPv6 address.
    case ipv6
    /// An IPv4 address, an interface, or another transport than TCP.
    case other
    /// A name, which may have addresses of both families.
    case name

    init(_ endpoint: String) {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else {
            self = .other
            return
        }
        // The local address may precede the peer's.
        let hosts = endpoint[..<colon].dropFirst("tcp://".count).split(separator: ";")
        guard let host = hosts.last else {
            self = .other
            return
        }
        if host == "*" {
            self = .any
        } else if host.contains(":") {
            self = .ipv6
        } else {
            self = host.split(separator: ".").allSatisfy { UInt8($0) != nil } ? .other : .name
        }
    }

    /// The port of a TCP endpoint.
    static func port(of endpoint: String) -> UInt16? {
        endpoint.hasPrefix("tcp://") ? endpoint.split(separator: ":").last.flatMap { UInt16($0) } : nil
    }
}

extension ConnectionEvent {
    /// The port of its endpoint; nil for transports other than TCP.
    var port: UInt16? { EndpointHost.port(of: endpoint) }

    var isFailedAttempt: Bool {
        if case .connectRetried = kind { true } else { false }
    }
}

/// The address family used for a name: IPv4 at first, and the other one after some failures.
struct AddressFamilySearch: Equatable {
    private(set) var usesIPv6 = false
    private var failures = 0
    /// The number of failures after which the family changes. Small at first, since one of the two is probably right. Larger later, since
    /// each change restarts with the shortest pause between attempts.
    private var patience = 1

    private static let patienceLimit = 4

    /// - Returns: Whether to use the other family next.
    mutating func failed() -> Bool {
        failures += 1
        guard failures >= patience else { return false }
        usesIPv6.toggle()
        failures = 0
        patience = min(patience * 2, Self.patienceLimit)
        return true
    }

    mutating func succeeded() {
        failures = 0
        // The loss of the connection is reported as a failure before the right family has been tried again.
        patience = 2
    }
}

/// The reader of one socket's connection events.
///
/// libzmq's I/O thread blocks if a monitor's queue is full, and with it every socket of the context. So the reader's queue is unlimited,
/// the poll loop always empties it, and the monitor is stopped before its reader is closed.
final class SocketMonitor {
    private let handle: SocketHandle
    private let observed: SocketHandle
    private var isOpen = true
    private static let nextNumber = Atomic<UInt64>(0)

    var pointer: UnsafeMutableRawPointer { unsafe handle.pointer }

    init(of observed: SocketHandle, context: ZeroMQContext) throws(ZeroMQError) {
        let number = Self.nextNumber.add(1, ordering: .relaxed).newValue
        let endpoint = "inproc://zeromq-monitor-\(number)"
        self.observed = observed
        handle = try SocketHandle(context: context, type: ZMQ_PAIR)
        try handle.set(ZMQ_RCVHWM, Int32(0), named: "receiveHighWaterMark")
        try handle.set(ZMQ_LINGER, Int32(0), named: "linger")
        guard unsafe zmq_socket_monitor(observed.pointer, endpoint, ZMQ_EVENT_ALL) == 0 else {
            throw .last("monitor", endpoint)
        }
        // If this throws, `deinit` stops the monitor.
        try handle.connect(to: endpoint)
    }

    /// An event, and libzmq's value for it: for an accepted connection its descriptor.
    typealias Notice = (event: ConnectionEvent, value: UInt32)

    /// Returns the next event without waiting; nil if there is none. Skips events that users do not need.
    func next() -> Notice? {
        while case .message(let received) = handle.receive(maximumPartCount: 2) {
            if let event = Self.decode(received.parts) { return event }
        }
        return nil
    }

    /// Whether libzmq has ended the reader because its context was shut down.
    var isEnded: Bool { handle.isEnded }

    /// Stops the monitor, then closes its reader. Call it before the observed socket is closed.
    func close() {
        guard isOpen else { return }
        isOpen = false
        unsafe zmq_socket_monitor(observed.pointer, nil, 0)
        handle.close()
    }

    /// Decodes a notice. The first part contains a 16-bit event and a 32-bit value in the machine's byte order, unaligned.
    private static func decode(_ parts: [MessagePart]) -> Notice? {
        guard parts.count == 2, parts[0].count == 6 else { return nil }
        let (event, value) = unsafe parts[0].withUnsafeBytes { bytes in
            unsafe (bytes.loadUnaligned(as: UInt16.self), bytes.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
        }
        guard let kind = ConnectionEvent.Kind(event: Int32(event), value: value) else { return nil }
        return (ConnectionEvent(kind: kind, endpoint: String(decoding: parts[1].bytes, as: UTF8.self)), value)
    }

    deinit { close() }
}
