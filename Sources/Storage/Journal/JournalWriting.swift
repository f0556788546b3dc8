/// Whether the disk takes what is appended to a journal.
///
/// | state | everything is written | something waits for the disk |
/// |---|---|---|
/// | writing | – | refused: told, tried again every ``EventJournal/retryInterval`` |
/// | refused | writing: told, no longer tried | – |
///
/// A value: what a write came to goes in, what is to be done about it comes out.
struct JournalWriting: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case writing
        case refused
    }

    enum Action: Hashable, Sendable {
        /// Whoever keeps the journal is told of the state.
        case tell
        /// Whoever waits for a refusal begins to try again.
        case tryAgain
    }

    private(set) var state = State.writing

    /// A write has been tried.
    /// - Parameter isWaiting: Whether something waits for the disk since.
    mutating func tried(isWaiting: Bool) -> [Action] {
        switch (state, isWaiting) {
        case (.writing, true):
            state = .refused
            return [.tell, .tryAgain]
        case (.refused, false):
            state = .writing
            return [.tell]
        case (.writing, false), (.refused, true):
            return []
        }
    }
}
