internal import CZeroMQ
internal import PosixSupport

/// A socket whose messages are requested by callers of `receive()`.
///
/// Only as many messages as callers wait for, plus a few ahead, are read from libzmq. The rest stay in libzmq, whose high-water mark then
/// stops the peers.
class ReceivingCore<Element: Sendable>: SocketCore, @unchecked Sendable {
    final var inbox = Inbox<Element>()

    /// The most messages processed in one round. More wait for the next round, so that one busy socket cannot starve the others.
    static var messagesPerRound: Int { 64 }

    /// Converts a received message to the element for callers; nil if it is consumed here.
    func accept(_ message: ReceivedMessage) -> Element? { nil }

    /// The maximum number of parts of a message as libzmq delivers it.
    var maximumPartCount: Int { max(1, options.maximumPartCount) }

    override var wantsInput: Bool { inbox.hasWaiters || inbox.count < options.prefetchLimit }

    override func handleInput() {
        for _ in 0..<Self.messagesPerRound where isOpen && wantsInput {
            guard let received = nextMessage() else { return }
            if let element = accept(received) { inbox.deliver(element) }
        }
    }

    override func willClose() { inbox.close() }

    /// Waits for and returns the next message; nil after closing, and if the calling task is cancelled.
    ///
    /// - Parameter socket: The socket's actor. The closures below mention it so that they run on its executor. Otherwise they would access
    ///   the inbox from a thread of the cooperative pool.
    final func next(isolation socket: isolated any Actor) async -> Element? {
        guard isOpen, !Task.isCancelled else { return nil }
        if let element = nextElement() { return element }
        guard isOpen else { return nil }
        let id = inbox.makeWaiterID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                socket.preconditionIsolated()
                inbox.wait(id, continuation)
            }
        } onCancel: {
            // Runs on any thread, even before the caller waits. The executor runs the cancellation after that.
            queue.submit(.call { self.inbox.cancel(id) })
        }
    }

    private func nextElement() -> Element? {
        if let element = inbox.popFirst() { return element }
        while isOpen, let received = nextMessage() {
            if let element = accept(received) { return element }
        }
        return nil
    }

    /// Returns one message from libzmq; nil if there is none at this moment.
    final func nextMessage() -> ReceivedMessage? {
        while true {
            switch handle.receive(maximumPartCount: maximumPartCount) {
            case .message(let received) where received.parts.contains { $0.count > options.maximumMessageSize }:
                counters.droppedForSize += 1
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

/// Received messages that are not requested yet, or callers that wait for messages; never both.
struct Inbox<Element: Sendable> {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Element?, Never>
    }

    private var elements = Queue<Element>()
    private var waiters = Queue<Waiter>()
    private var lastID: UInt64 = 0

    var count: Int { elements.count }
    var hasWaiters: Bool { !waiters.isEmpty }

    mutating func makeWaiterID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func wait(_ id: UInt64, _ continuation: CheckedContinuation<Element?, Never>) {
        waiters.append(Waiter(id: id, continuation: continuation))
    }

    /// Gives the element to the caller that has waited longest, or keeps it.
    mutating func deliver(_ element: Element) {
        if let waiter = waiters.popFirst() {
            waiter.continuation.resume(returning: element)
        } else {
            elements.append(element)
        }
    }

    mutating func popFirst() -> Element? { elements.popFirst() }

    /// Answers one caller with nil, if it still waits.
    mutating func cancel(_ id: UInt64) {
        waiters.removeAll { waiter in
            guard waiter.id == id else { return false }
            waiter.continuation.resume(returning: nil)
            return true
        }
    }

    /// Answers every caller with nil, and discards messages that were not requested.
    mutating func close() {
        while let waiter = waiters.popFirst() { waiter.continuation.resume(returning: nil) }
        while elements.popFirst() != nil {}
    }
}

/// A first-in, first-out queue with amortized constant time.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        // At least half of the array is empty, so moving the rest costs no more than what was removed.
        if head == elements.count || (head >= 32 && head * 2 >= elements.count) {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll(where matches: (Element) -> Bool) {
        elements.removeAll { $0.map(matches) ?? true }
        head = 0
    }
}
