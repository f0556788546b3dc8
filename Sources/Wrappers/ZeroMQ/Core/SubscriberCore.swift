internal import CZeroMQ

/// A SUB: prefixes out, messages in.
final class SubscriberCore: ReceivingCore<ReceivedMessage>, @unchecked Sendable {
    init(context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions) throws(ZeroMQError) {
        try super.init(context: context, executor: executor, type: ZMQ_SUB, options: options)
        start(on: executor)
    }

    override func accept(_ message: ReceivedMessage) -> ReceivedMessage? { message }

    func subscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try check(prefix, "subscribe to")
        try handle.set(ZMQ_SUBSCRIBE, prefix, operation: "subscribe")
    }

    func unsubscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try check(prefix, "unsubscribe from")
        try handle.set(ZMQ_UNSUBSCRIBE, prefix, operation: "unsubscribe")
    }

    private func check(_ prefix: [UInt8], _ operation: String) throws(ZeroMQError) {
        guard isOpen else { throw ZeroMQError(code: "ENOTSOCK", operation: operation) }
        guard prefix.count <= SubscriberSocket.maximumTopicLength else {
            throw ZeroMQError(
                code: "ENAMETOOLONG", operation: operation, endpoint: "a topic of \(prefix.count) bytes, of at most 64")
        }
    }
}
