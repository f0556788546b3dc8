/// Detects that a connection is silent: a message that is always answered was sent on it, and nothing has arrived since.
///
/// ```
///             asked                 nothing heard for `patience`
///  content ────────▶ waiting ────────────────────────────────────▶ silent, once: replace the connection
///     ▲                 │  heard                                       │
///     └─────────────────┴──────────────────────────────────────────────┘
/// ```
///
/// A value without clock or socket.
public struct SilenceWatch: Sendable {
    private var patience: RetryDelay
    /// The instant at which the connection counts as silent; nil while no answer is awaited.
    public private(set) var deadline: LocalTime?

    /// - Parameter patience: The time allowed for an answer, also after connections that were replaced in vain.
    public init(patience: RetryDelay) {
        self.patience = patience
    }

    /// Records that a message that is always answered was sent.
    public mutating func asked(at now: LocalTime) {
        if deadline == nil { deadline = now + patience.next }
    }

    /// Records that a message has arrived on the connection.
    /// - Parameter isAnswer: Whether it answers what was asked. If so, messages sent before the question have arrived too.
    public mutating func heard(isAnswer: Bool = true) {
        deadline = nil
        if isAnswer { patience.reset() }
    }

    /// Returns whether the connection has been silent for too long; true once per silence.
    public mutating func checkSilence(at now: LocalTime) -> Bool {
        guard let deadline, now >= deadline else { return false }
        self.deadline = nil
        patience.advance()
        return true
    }
}

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
