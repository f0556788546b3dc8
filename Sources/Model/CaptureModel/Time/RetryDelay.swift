/// The waits between attempts at an operation that fails for a temporary reason. They double from the first to the
/// last, and return to the first after a success.
public struct RetryDelay: Hashable, Sendable {
    private let first: Duration
    private let last: Duration
    /// The wait after the next failure.
    public private(set) var next: Duration

    /// - Parameters:
    ///   - first: The wait after the first failure.
    ///   - last: The longest wait.
    public init(first: Duration, last: Duration) {
        self.first = first
        self.last = last
        next = first
    }

    /// Records a failed attempt.
    /// - Returns: The wait before the next attempt.
    @discardableResult
    public mutating func advance() -> Duration {
        defer { next = min(next * 2, last) }
        return next
    }

    /// Records a successful attempt.
    public mutating func reset() {
        next = first
    }
}
