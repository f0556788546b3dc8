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
