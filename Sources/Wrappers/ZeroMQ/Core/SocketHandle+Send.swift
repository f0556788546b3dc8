internal import CZeroMQ

/// What libzmq answered to an attempt to send.
enum SendAttempt: Equatable {
    case done
    /// No peer takes a message at this moment.
    case wouldBlock
    /// The router knows no such peer.
    case unreachable
    /// The socket or its context has ended.
    case ended
}

extension SocketHandle {
    /// Sends a message without waiting: all of it or nothing.
    func send(_ message: Message, to peer: PeerID? = nil) -> SendAttempt {
        if let peer {
            guard unsafe peer.bytes.withUnsafeBytes({ unsafe MessagePart.copy($0, into: outgoing) }) else {
                return .wouldBlock
            }
            let attempt = sendOutgoing(more: true)
            // A router decides here; the parts that follow never fail.
            guard attempt == .done else { return attempt }
        }
        return message.parts.isEmpty ? send([MessagePart([])]) : send(message.parts)
    }

    private func send(_ parts: [MessagePart]) -> SendAttempt {
        var result = SendAttempt.done
        for (index, part) in parts.enumerated() {
            // Only for want of memory. Closing is what keeps half a message from being delivered.
            guard unsafe part.fill(outgoing) else { return .ended }
            let attempt = sendOutgoing(more: index + 1 < parts.count)
            guard attempt != .done else { continue }
            guard index > 0, attempt == .wouldBlock else { return attempt }
            // The peer went away between two parts. libzmq has taken the first ones back and swallows the rest, up to
            // the last part, which it must see; then the whole message may be tried again.
            result = .wouldBlock
        }
        return result
    }

    private func sendOutgoing(more: Bool) -> SendAttempt {
        while true {
            if unsafe zmq_msg_send(outgoing, pointer, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0 { return .done }
            let code = zmq_errno()
            if code == EINTR { continue }
            // A frame that was not sent is still the caller's.
            unsafe zmq_msg_close(outgoing)
            switch code {
            case EAGAIN: return .wouldBlock
            case EHOSTUNREACH: return .unreachable
            default: return .ended
            }
        }
    }
}
