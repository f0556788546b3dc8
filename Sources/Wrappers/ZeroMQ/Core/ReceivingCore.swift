internal import CZeroMQ
internal import PosixSupport

/// A socket whose messages are pulled by callers of `receive()`.
///
/// Only as many messages are taken from libzmq as callers wait for, plus a few ahead; the rest stay in libzmq, whose
/// high-water mark then stops the peers.
class ReceivingCore<Element: Sendable>: SocketCore, @unchecked Sendable {
    final var inbox = Inbox<Element>()

    /// Messages of one round; more wait for the next, so that one busy socket cannot starve the others.
    static var messagesPerRound: Int { 64 }

    /// Turns what came into what callers get; nil when it is used up here.
    func accept(_ message: ReceivedMessage) -> Element? { nil }

    /// Parts of a message as libzmq delivers it.
    var maximumPartCount: Int { max(1, options.maximumPartCount) }

    override var wantsInput: Bool { inbox.hasWaiters || inbox.count < options.prefetchLimit }

    override func handleInput() {
        for _ in 0..<Self.messagesPerRound where isOpen && wantsInput {
            guard let received = takeMessage() else { return }
            if let element = accept(received) { inbox.deliver(element) }
        }
    }

    override func willClose() { inbox.close() }

    /// The next message; nil after closing, and when the calling task is cancelled.
    ///
    /// - Parameter socket: The socket's actor. The closures below mention it because that is what makes them run on its
    ///   executor; otherwise they would touch the inbox from a thread of the cooperative pool.
    final func next(isolation socket: isolated any Actor) async -> Element? {
        guard isOpen, !Task.isCancelled else { return nil }
        if let element = takeElement() { return element }
        guard isOpen else { return nil }
        let id = inbox.makeWaiterID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                socket.preconditionIsolated()
                inbox.wait(id, continuation)
            }
        } onCancel: {
            // Runs on any thread, even before the caller waits; the executor gets to it after that.
            queue.submit(.call { self.inbox.cancel(id) })
        }
    }

    private func takeElement() -> Element? {
        if let element = inbox.popFirst() { return element }
        while isOpen, let received = takeMessage() {
            if let element = accept(received) { return element }
        }
        return nil
    }

    /// One message from libzmq; nil when there is none at this moment.
    final func takeMessage() -> ReceivedMessage? {
        while true {
            switch handle.receive(maximumPartCount: maximumPartCount) {
            case .message(let received):
                counters.received += 1
                counters.receivedBytes += received.message.byteCount
                return received
            case .tooManyParts: counters.droppedForPartCount += 1
            case .nothing: return nil
            case .ended:
                close()
                return nil
            }
        }
    }
}
