import PosixSupport

/// A bounded queue from those who must not wait to one who works through it: the newest elements stay, and those that had
/// to go are counted. Safe from any thread.
package final class NewestQueue<Element: Sendable>: Sendable {
    /// For one reader.
    package let elements: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation
    private let lost = Locked<UInt64>(0)

    /// - Parameter limit: Elements that may wait.
    init(limit: Int) {
        (elements, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(limit))
    }

    func yield(_ element: Element) {
        if case .dropped = continuation.yield(element) { lost.withLock { $0 += 1 } }
    }

    /// How many had to go since the last call.
    package func takeLost() -> UInt64 {
        lost.withLock { lost in
            defer { lost = 0 }
            return lost
        }
    }
}
