/// The waits between attempts to start a camera: doubled from the first to the last, and back to the first after a
/// stream that delivered.
struct RetryDelay: Sendable {
    private let first: Duration
    private let last: Duration
    private var next: Duration

    init(first: Duration, last: Duration) {
        self.first = first
        self.last = last
        next = first
    }

    mutating func take() -> Duration {
        defer { next = min(next * 2, last) }
        return next
    }

    mutating func reset() {
        next = first
    }
}
