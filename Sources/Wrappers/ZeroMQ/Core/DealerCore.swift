internal import CZeroMQ

/// A DEALER: one queue in front of libzmq, emptied when libzmq says that a peer takes more.
final class DealerCore: ReceivingCore<ReceivedMessage>, @unchecked Sendable {
    private var waiting: SendQueue

    init(context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions) throws(ZeroMQError) {
        waiting = SendQueue(options: options)
        try super.init(context: context, executor: executor, type: ZMQ_DEALER, options: options)
        start(on: executor)
    }

    override func accept(_ message: ReceivedMessage) -> ReceivedMessage? { message }

    override var wantsOutput: Bool { !waiting.isEmpty }

    func send(_ message: Message) -> SendOutcome {
        if let refusal = refusal(of: message) { return counters.refuse(refusal) }
        // What waits goes first, so that the order stays.
        guard waiting.isEmpty else { return append(message) }
        switch handle.send(message) {
        case .done:
            countSent(message)
            return .sent
        case .wouldBlock, .unreachable: return append(message)
        case .ended: return endedWhileSending()
        }
    }

    func send(_ makeMessage: (Int64) -> Message) -> SendOutcome {
        guard isOpen else { return counters.refuse(.closed) }
        guard waiting.isEmpty else { return counters.refuse(.queueFull) }
        let message = makeMessage(czmq_monotonic_nanoseconds())
        if let refusal = refusal(of: message) { return counters.refuse(refusal) }
        switch handle.send(message) {
        case .done:
            countSent(message)
            return .sent
        case .wouldBlock, .unreachable: return counters.refuse(.queueFull)
        case .ended: return endedWhileSending()
        }
    }

    override func handleOutput() {
        while let message = waiting.first {
            switch handle.send(message) {
            case .done:
                countSent(message)
                waiting.removeFirst()
            case .wouldBlock, .unreachable: return updateWaiting()
            case .ended: return close()
            }
        }
        updateWaiting()
    }

    override func willClose() {
        counters.discardedAtClose += waiting.count
        while waiting.removeFirst() {}
        updateWaiting()
        super.willClose()
    }

    private func append(_ message: Message) -> SendOutcome {
        guard case .queued(let dropped) = waiting.append(message) else { return counters.refuse(.queueFull) }
        counters.queued += 1
        counters.droppedOldest += dropped
        updateWaiting()
        return .queued
    }

    private func updateWaiting() {
        counters.waiting = waiting.count
        counters.waitingBytes = waiting.byteCount
    }

    private func endedWhileSending() -> SendOutcome {
        close()
        return counters.refuse(.closed)
    }
}
