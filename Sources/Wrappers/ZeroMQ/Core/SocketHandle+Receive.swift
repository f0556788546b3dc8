internal import CZeroMQ

/// What libzmq answered to an attempt to receive.
enum ReceiveAttempt {
    case message(ReceivedMessage)
    /// A message with too many parts was dropped.
    case tooManyParts
    case nothing
    /// The socket or its context has ended.
    case ended
}

extension SocketHandle {
    /// Takes one message without waiting.
    func receive(maximumPartCount: Int) -> ReceiveAttempt {
        unsafe receive(maximumPartCount: maximumPartCount) { _ in }
    }

    /// - Parameter look: Sees the first part before its content is taken.
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
        var parts: [MessagePart] = []
        var hasTooMany = false
        while true {
            // Taking the content clears the frame, and with it the mark that more follow.
            let hasMore = unsafe zmq_msg_more(incoming) != 0
            if parts.count < maximumPartCount {
                parts.append(unsafe MessagePart(taking: incoming))
            } else {
                hasTooMany = true
            }
            // libzmq delivers messages whole, so the other parts are there.
            guard hasMore, receiveIncoming() == 0 else { break }
        }
        if hasTooMany { return .tooManyParts }
        return .message(ReceivedMessage(message: Message(parts), receivedAtNanoseconds: receivedAt))
    }

    /// Takes one part that tells of a topic, without waiting, and the descriptor of the TCP connection it came by; nil for one
    /// that libzmq tells of by itself, because its subscriber has left, and for other transports.
    func receiveSubscription() -> (attempt: ReceiveAttempt, descriptor: Int32?) {
        var descriptor: Int32 = -1
        let attempt = unsafe receive(maximumPartCount: 1) { descriptor = unsafe zmq_msg_get($0, ZMQ_SRCFD) }
        return (attempt, descriptor < 0 ? nil : descriptor)
    }

    /// Receives one frame into `incoming`; 0 or an errno value.
    private func receiveIncoming() -> Int32 {
        while unsafe zmq_msg_recv(incoming, pointer, ZMQ_DONTWAIT) < 0 {
            let code = zmq_errno()
            if code != EINTR { return code }
        }
        return 0
    }
}
