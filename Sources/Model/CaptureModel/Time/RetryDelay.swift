/// The waits between attempts at what fails for a reason that may pass: doubled from the first to the last, and back to
/// the first after one that succeeded.
public struct RetryDelay: Hashable, Sendable {
    private let first: Duration
    private let last: Duration
    /// How long to wait after one more failure.
    public private(set) var next: Duration

    /// - Parameters:
    ///   - first: The wait after the first failure.
    ///   - last: No wait is longer.
    public init(first: Duration, last: Duration) {
        self.first = first
        self.last = last
        next = first
    }

    /// One more attempt has failed.
    /// - Returns: How long to wait for the next.
    @discardableResult
    public mutating func take() -> Duration {
        defer { next = min(next * 2, last) }
        return next
    }

    /// An attempt has succeeded.
    public mutating func reset() {
        next = first
    }
}
