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
        switch receiveIncoming() {
        case EAGAIN: return .nothing
        case 0: break
        default: return .ended
        }
        let receivedAt = czmq_monotonic_nanoseconds()
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

    /// Receives one frame into `incoming`; 0 or an errno value.
    private func receiveIncoming() -> Int32 {
        while unsafe zmq_msg_recv(incoming, pointer, ZMQ_DONTWAIT) < 0 {
            let code = zmq_errno()
            if code != EINTR { return code }
        }
        return 0
    }
}
