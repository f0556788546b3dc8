internal import CaptureModel
internal import RigProtocol
internal import RigWire

/// Follows the feed for one reader: subscribe first, then replay, then live; replay again after every gap.
///
/// One task uses it. While it asks for a replay, live messages wait in the subscription's mailbox, whose overflow is
/// one more gap.
final class FeedFollower {
    /// Beats come once a second; after so much silence the connection is made anew.
    static let beatPatience = Duration.seconds(4)

    private let client: RigClient
    private let start: RigEvents.Start
    private var cursor = FeedCursor()
    private var subscription: FeedSubscription?
    private var ready: [RigFeedItem] = []
    private var isSilent = false

    init(client: RigClient, start: RigEvents.Start) {
        self.client = client
        self.start = start
    }

    /// The next item; nil at the end.
    func next() async throws(RigClientError) -> RigFeedItem? {
        while ready.isEmpty {
            guard !Task.isCancelled else { return nil }
            guard let subscription else {
                try await begin()
                continue
            }
            switch await subscription.mailbox.next(within: Self.beatPatience) {
            case .letter(let bytes): try await take(bytes)
            case .silence: try await recover(afterSilence: true)
            case .closed: return nil
            }
        }
        return ready.removeFirst()
    }

    private func begin() async throws(RigClientError) {
        let status = try await client.status()
        try await subscribe(to: status.feedPort)
        switch start {
        case .now:
            // No sequence is as late as this one, so the page is empty and says where the feed stands.
            let replay = try await client.replay(after: UInt64(Int64.max), of: status.coordinatorEpoch)
            cursor.anchor(epoch: replay.epoch, after: replay.lastSequence)
        case .beginning:
            try await catchUp()
        }
    }

    private func subscribe(to port: UInt16) async throws(RigClientError) {
        subscription = nil
        subscription = try await client.subscribe(toFeedPort: port)
    }

    /// What cannot be read is dropped: if it was an event, the next one reveals the gap.
    private func take(_ bytes: [UInt8]) async throws(RigClientError) {
        guard let message = try? FeedFrame(bytes: bytes).message() else { return }
        switch verdict(on: message) {
        case .tell, .drop: isSilent = false
        case .replay: try await recover()
        }
    }

    private func verdict(on message: WireFeedMessage) -> FeedCursor.Verdict {
        switch message.body {
        case .beat(let beat):
            guard let epoch = Epoch(rawValue: beat.coordinatorEpoch) else { return .drop }
            return cursor.take(beatOf: epoch, lastSequence: beat.lastSequence)
        case .event(let wire):
            guard let event = try? FeedEvent(wire: wire) else { return .drop }
            let verdict = cursor.take(event)
            if verdict == .tell { ready.append(.event(event)) }
            return verdict
        case nil:
            return .drop
        }
    }

    /// Finds out where the coordinator is and what was missed; a coordinator that is away is told once.
    private func recover(afterSilence: Bool = false) async throws(RigClientError) {
        do {
            let status = try await client.status()
            if afterSilence || status.feedPort != subscription?.port { try await subscribe(to: status.feedPort) }
            try await catchUp()
            isSilent = false
        } catch  where error.code == .noCoordinator {
            if !isSilent { ready.append(.silent) }
            isSilent = true
        }
    }

    /// Asks for pages until nothing is missing. Each page makes progress, so this ends.
    private func catchUp() async throws(RigClientError) {
        var progress = FeedCursor.Progress.more
        while progress == .more, !Task.isCancelled {
            let page = try await client.replay(after: cursor.asked.sequence, of: cursor.asked.epoch)
            let (items, next) = cursor.take(page)
            ready += items
            progress = next
        }
    }
}
