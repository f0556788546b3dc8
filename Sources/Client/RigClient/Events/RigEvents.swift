/// The rig's events in order and without gaps, from a coordinator that may restart meanwhile.
///
/// It ends when its task is cancelled or the client is closed. It throws ``RigClientError`` where no coordinator
/// answers at the start; later silences are items.
public struct RigEvents: AsyncSequence, Sendable {
    public typealias Element = RigFeedItem

    /// Where to begin.
    public enum Start: Hashable, Sendable {
        /// With what happens from here on.
        case now
        /// With the oldest event the coordinator still holds.
        case beginning
    }

    let client: RigClient
    let start: Start

    public func makeAsyncIterator() -> Iterator {
        Iterator(follower: FeedFollower(client: client, start: start))
    }

    /// One follower with a subscription of its own.
    public struct Iterator: AsyncIteratorProtocol {
        let follower: FeedFollower

        public mutating func next() async throws -> RigFeedItem? {
            try await follower.next()
        }
    }
}

extension RigClient {
    /// Follows the rig's events.
    public nonisolated func events(from start: RigEvents.Start = .now) -> RigEvents {
        RigEvents(client: self, start: start)
    }
}
