internal import CZeroMQ

extension SocketOptions {
    /// Sets everything on a socket that is neither bound nor connected.
    func apply(to handle: SocketHandle) throws(ZeroMQError) {
        guard maximumMessageSize > 0 else {
            throw ZeroMQError(code: "EINVAL", operation: "set", endpoint: "maximumMessageSize")
        }
        try handle.set(ZMQ_MAXMSGSIZE, Int64(clamping: maximumMessageSize), named: "maximumMessageSize")
        let numbers: [(Int32, Int32, String)] = [
            (ZMQ_SNDHWM, Int32(clamping: sendHighWaterMark), "sendHighWaterMark"),
            (ZMQ_RCVHWM, Int32(clamping: receiveHighWaterMark), "receiveHighWaterMark"),
            (ZMQ_HANDSHAKE_IVL, Self.milliseconds(handshakeInterval), "handshakeInterval"),
            (ZMQ_TCP_MAXRT, Self.milliseconds(stallLimit), "stallLimit"),
            (ZMQ_CONNECT_TIMEOUT, Self.milliseconds(connectTimeout), "connectTimeout"),
            (ZMQ_RECONNECT_IVL, Self.milliseconds(reconnectInterval), "reconnectInterval"),
            (ZMQ_RECONNECT_IVL_MAX, Self.milliseconds(reconnectIntervalMax), "reconnectIntervalMax"),
            (ZMQ_IMMEDIATE, immediate ? 1 : 0, "immediate"),
            (ZMQ_LINGER, Self.milliseconds(linger), "linger"),
        ]
        for (option, value, name) in numbers { try handle.set(option, value, named: name) }
        try applyKeepAlive(to: handle)
        if receiveBufferByteCount > 0 {
            try handle.set(ZMQ_RCVBUF, Int32(clamping: receiveBufferByteCount), named: "receiveBufferByteCount")
        }
        if conflate { try handle.set(ZMQ_CONFLATE, Int32(1), named: "conflate") }
    }

    private func applyKeepAlive(to handle: SocketHandle) throws(ZeroMQError) {
        guard keepAliveInterval > .zero else { return }
        let seconds = Int32(clamping: max(1, keepAliveInterval.components.seconds))
        for (option, value) in [
            (ZMQ_TCP_KEEPALIVE, 1), (ZMQ_TCP_KEEPALIVE_IDLE, seconds), (ZMQ_TCP_KEEPALIVE_INTVL, seconds),
            (ZMQ_TCP_KEEPALIVE_CNT, 3),
        ] { try handle.set(option, value, named: "keepAliveInterval") }
    }

    /// Messages to take ahead of `receive()`.
    var prefetchLimit: Int { conflate ? 0 : max(0, receivePrefetch) }

    /// Whole milliseconds, rounded up, within what libzmq takes.
    static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 2_000_000 else { return .max }
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(clamping: seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
