/// Received messages nobody has asked for yet, and callers nobody has answered yet; never both.
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

    /// Answers the caller that waits longest, or keeps the element.
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

    /// Answers every caller with nil, and forgets what was not asked for.
    mutating func close() {
        while let waiter = waiters.popFirst() { waiter.continuation.resume(returning: nil) }
        while elements.popFirst() != nil {}
    }
}
