internal import CZeroMQ

/// The owner of one libzmq socket. Keeps its context alive.
///
/// Guard for `@unchecked Sendable`: created on any thread, passed to the executor through its queue's lock (the memory fence that libzmq
/// requires), and then used only on the executor's thread.
@safe final class SocketHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
    /// Frames that are reused for every send and receive, and are empty in between.
    let outgoing: UnsafeMutablePointer<zmq_msg_t>
    let incoming: UnsafeMutablePointer<zmq_msg_t>
    private let context: ZeroMQContext
    private var isOpen = true
    /// Whether the context's authenticator has admitted every peer. Otherwise peers write their own metadata, including the user id.
    var isAuthenticated = false

    init(context: ZeroMQContext, type: Int32) throws(ZeroMQError) {
        guard let pointer = unsafe zmq_socket(context.pointer, type) else { throw .last("create a socket") }
        self.context = context
        unsafe self.pointer = unsafe pointer
        unsafe outgoing = .allocate(capacity: 1)
        unsafe incoming = .allocate(capacity: 1)
        unsafe outgoing.initialize(to: zmq_msg_t())
        unsafe incoming.initialize(to: zmq_msg_t())
        unsafe zmq_msg_init(incoming)
    }

    func set(_ option: Int32, _ value: some FixedWidthInteger & BitwiseCopyable, named name: String) throws(ZeroMQError)
    {
        var value = value
        let size = MemoryLayout.size(ofValue: value)
        guard unsafe zmq_setsockopt(pointer, option, &value, size) == 0 else { throw .last("set", name) }
    }

    func set(_ option: Int32, _ bytes: [UInt8], operation: String) throws(ZeroMQError) {
        guard unsafe zmq_setsockopt(pointer, option, bytes, bytes.count) == 0 else { throw .last(operation) }
    }

    /// Sets the addresses to which libzmq resolves a host in later binds and connects: IPv6 (or IPv4 if there are none), or IPv4 only.
    func setIPv6(_ usesIPv6: Bool) throws(ZeroMQError) {
        try set(ZMQ_IPV6, Int32(usesIPv6 ? 1 : 0), named: "IPv6")
    }

    /// Binds, and returns the address with the port that the system chose.
    func bind(to endpoint: String) throws(ZeroMQError) -> String {
        guard unsafe zmq_bind(pointer, endpoint) == 0 else { throw .last("bind to", endpoint) }
        // libzmq's addresses are shorter than 256 bytes. File names of ipc are the longest, with 108 bytes.
        var text = [CChar](repeating: 0, count: 256)
        var size = text.count
        guard unsafe zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &text, &size) == 0 else {
            throw .last("read the address of", endpoint)
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func connect(to endpoint: String) throws(ZeroMQError) {
        guard unsafe zmq_connect(pointer, endpoint) == 0 else { throw .last("connect to", endpoint) }
    }

    func disconnect(from endpoint: String) throws(ZeroMQError) {
        guard unsafe zmq_disconnect(pointer, endpoint) == 0 else { throw .last("disconnect from", endpoint) }
    }

    func unbind(from endpoint: String) throws(ZeroMQError) {
        guard unsafe zmq_unbind(pointer, endpoint) == 0 else { throw .last("unbind from", endpoint) }
    }

    /// Whether libzmq has ended the socket because its context was shut down.
    var isEnded: Bool {
        var events: Int32 = 0
        var size = MemoryLayout.size(ofValue: events)
        return unsafe zmq_getsockopt(pointer, ZMQ_EVENTS, &events, &size) != 0 && zmq_errno() != EINTR
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        unsafe zmq_close(pointer)
    }

    deinit {
        close()
        unsafe zmq_msg_close(incoming)
        unsafe incoming.deallocate()
        unsafe outgoing.deallocate()
    }
}

/// The result of an attempt to receive.
enum ReceiveAttempt {
    case message(ReceivedMessage)
    /// A message with too many parts was dropped.
    case tooManyParts
    case nothing
    /// The socket or its context has ended.
    case ended
}

extension SocketHandle {
    /// Receives one message without waiting.
    func receive(maximumPartCount: Int) -> ReceiveAttempt {
        unsafe receive(maximumPartCount: maximumPartCount) { _ in }
    }

    /// - Parameter look: Reads the first part before its content is moved.
    private func receive(
        maximumPartCount: Int, _ look: (UnsafeMutablePointer<zmq_msg_t>) -> Void
    ) -> ReceiveAttempt {
        switch receiveIncoming() {
        case EAGAIN: return .nothing
        case 0: break
        default: return .ended
        }
        let receivedAt = czmq_monotonic_nanoseconds()
        unsafe look(incoming)
        var userID: String? = nil
        var parts: [MessagePart] = []
        var hasTooMany = false
        while true {
            // Moving the content clears the frame, including the flag that more parts follow.
            let hasMore = unsafe zmq_msg_more(incoming) != 0
            if isAuthenticated, userID == nil { userID = unsafe self.userID(of: incoming) }
            if parts.count < maximumPartCount {
                parts.append(unsafe MessagePart(taking: incoming))
            } else {
                hasTooMany = true
            }
            // libzmq delivers complete messages, so the other parts are available.
            guard hasMore, receiveIncoming() == 0 else { break }
        }
        if hasTooMany { return .tooManyParts }
        return .message(ReceivedMessage(message: Message(parts), receivedAtNanoseconds: receivedAt, userID: userID))
    }

    /// Receives one part about a topic without waiting, and the descriptor of the TCP connection that it arrived on. The descriptor is nil
    /// for a part that libzmq creates because a subscriber has disconnected, and for other transports.
    func receiveSubscription() -> (attempt: ReceiveAttempt, descriptor: Int32?) {
        var descriptor: Int32 = -1
        let attempt = unsafe receive(maximumPartCount: 1) { descriptor = unsafe zmq_msg_get($0, ZMQ_SRCFD) }
        return (attempt, descriptor < 0 ? nil : descriptor)
    }

    /// Returns the user id of a frame. All frames of a message have it except a routing id, which the router creates.
    private func userID(of frame: UnsafeMutablePointer<zmq_msg_t>) -> String? {
        guard let name = unsafe zmq_msg_gets(frame, "User-Id") else { return nil }
        let text = unsafe String(cString: name)
        return text.isEmpty ? nil : text
    }

    /// Receives one frame into `incoming`. Returns 0 or an errno value.
    private func receiveIncoming() -> Int32 {
        while unsafe zmq_msg_recv(incoming, pointer, ZMQ_DONTWAIT) < 0 {
            let code = zmq_errno()
            if code != EINTR { return code }
        }
        return 0
    }
}

/// The result of an attempt to send.
enum SendAttempt: Equatable {
    case done
    /// No peer accepts a message at this moment.
    case wouldBlock
    /// The router knows no such peer.
    case unreachable
    /// The socket or its context has ended.
    case ended
}

extension SocketHandle {
    /// Sends a complete message or nothing, without waiting.
    func send(_ message: Message, to peer: PeerID? = nil) -> SendAttempt {
        if let peer {
            guard unsafe peer.bytes.withUnsafeBytes({ unsafe MessagePart.copy($0, into: outgoing) }) else {
                return .wouldBlock
            }
            let attempt = sendOutgoing(more: true)
            // A router decides here. The parts that follow never fail.
            guard attempt == .done else { return attempt }
        }
        return message.parts.isEmpty ? send([MessagePart([])]) : send(message.parts)
    }

    private func send(_ parts: [MessagePart]) -> SendAttempt {
        var result = SendAttempt.done
        for (index, part) in parts.enumerated() {
            // Fails only without memory. Closing the socket prevents the delivery of half a message.
            guard unsafe part.fill(outgoing) else { return .ended }
            let attempt = sendOutgoing(more: index + 1 < parts.count)
            guard attempt != .done else { continue }
            guard index > 0, attempt == .wouldBlock else { return attempt }
            // The peer disconnected between two parts. libzmq has dropped the first ones and discards the rest up to the last part, which
            // it must receive. Then the complete message may be retried.
            result = .wouldBlock
        }
        return result
    }

    private func sendOutgoing(more: Bool) -> SendAttempt {
        while true {
            if unsafe zmq_msg_send(outgoing, pointer, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0 { return .done }
            let code = zmq_errno()
            if code == EINTR { continue }
            // The caller still owns a frame that was not sent.
            unsafe zmq_msg_close(outgoing)
            switch code {
            case EAGAIN: return .wouldBlock
            case EHOSTUNREACH: return .unreachable
            default: return .ended
            }
        }
    }
}
