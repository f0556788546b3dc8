/// Notices that a connection has fallen silent: a message that is always answered was sent on it, and nothing has come since.
///
/// ```
///            asked                 nothing heard for `patience`
///  content ────────▶ waiting ────────────────────────────────────▶ silent, once: the connection is to be made anew
///     ▲                 │  heard                                       │
///     └─────────────────┴──────────────────────────────────────────────┘
/// ```
///
/// A value without clock or socket.
public struct SilenceWatch: Sendable {
    private var patience: RetryDelay
    /// When the connection counts as silent; nil while nothing is waited for.
    public private(set) var deadline: LocalTime?

    /// - Parameter patience: How long an answer may take, and how long after connections that were made anew in vain.
    public init(patience: RetryDelay) {
        self.patience = patience
    }

    /// A message that is always answered was sent.
    public mutating func asked(at now: LocalTime) {
        if deadline == nil { deadline = now + patience.next }
    }

    /// Something has come on the connection.
    /// - Parameter isAnswer: Whether it answers what was asked. What was sent before that has then arrived, too.
    public mutating func heard(isAnswer: Bool = true) {
        deadline = nil
        if isAnswer { patience.reset() }
    }

    /// Whether the connection has been silent for too long; told once.
    public mutating func takeSilence(at now: LocalTime) -> Bool {
        guard let deadline, now >= deadline else { return false }
        self.deadline = nil
        patience.take()
        return true
    }
}
