public import CaptureModel
internal import RigProtocol
internal import RigWire
internal import ZeroMQ

/// Follows the feed for one reader: subscribes first, then replays, then delivers live events. Replays again after
/// every gap.
///
/// One task uses it. During a replay, live messages wait in the subscription's mailbox. If the mailbox overflows, this
/// is one more gap.
final class FeedFollower {
    /// Beats arrive once a second. After this silence the connection is made again.
    static let beatPatience = Duration.seconds(4)

    private let client: RigClient
    private let start: RigEvents.Start
    private var cursor = FeedCursor()
    private var subscription: FeedSubscription?
    private var ready: [RigFeedItem] = []
    private var isSilent = false
    /// When the coordinator last gave a sign of life.
    private var heard = LocalTime(nanoseconds: 0)

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
            case .message(.message(let bytes)): try await receive(bytes)
            case .message(.keyRefused):
                if let refusal = await client.keyRefusal(operation: "events") { throw refusal }
            case .silence: try await recover(afterSilence: true)
            case .closed: return nil
            }
        }
        return ready.removeFirst()
    }

    private func begin() async throws(RigClientError) {
        let status = try await client.status(for: "events")
        heard = client.time.now()
        try await subscribe(to: status.feedPort)
        switch start {
        case .now:
            // No sequence is as late as this one, so the page is empty and states the feed's position.
            let replay = try await client.replay(after: UInt64(Int64.max), of: status.coordinatorEpoch)
            cursor.anchor(epoch: replay.epoch, after: replay.lastSequence)
        case .beginning:
            try await catchUp()
        case .after(let sequence, let epoch):
            cursor.anchor(epoch: epoch, after: sequence)
            try await catchUp()
        }
    }

    private func subscribe(to port: UInt16) async throws(RigClientError) {
        subscription = nil
        subscription = try await client.subscribe(toFeedPort: port)
    }

    /// An unreadable message is dropped: if it was an event, the next one reveals the gap.
    private func receive(_ bytes: [UInt8]) async throws(RigClientError) {
        heard = client.time.now()
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
            return cursor.process(beatOf: epoch, lastSequence: beat.lastSequence)
        case .event(let wire):
            guard let event = try? FeedEvent(wire: wire) else { return .drop }
            let verdict = cursor.process(event)
            if verdict == .tell { ready.append(.event(event)) }
            return verdict
        case nil:
            return .drop
        }
    }

    /// Finds the coordinator and the missed events. A coordinator that is away, or has a key that the client does not know yet, is
    /// reported once.
    private func recover(afterSilence: Bool = false) async throws(RigClientError) {
        do {
            let status = try await client.status(for: "events")
            heard = client.time.now()
            if afterSilence || status.feedPort != subscription?.port { try await subscribe(to: status.feedPort) }
            try await catchUp()
            isSilent = false
        } catch  where error.code == .noCoordinator || error.code == .wrongCoordinator {
            if !isSilent { ready.append(.silent(since: heard)) }
            isSilent = true
        }
    }

    /// Requests pages until nothing is missing. Each page makes progress, so this ends.
    private func catchUp() async throws(RigClientError) {
        var progress = FeedCursor.Progress.more
        while progress == .more, !Task.isCancelled {
            let page = try await client.replay(after: cursor.asked.sequence, of: cursor.asked.epoch)
            let (items, next) = cursor.process(page)
            ready += items
            progress = next
        }
    }
}

/// A subscription to the coordinator's feed. It ends with its last reference.
final class FeedSubscription {
    /// What arrives at a subscription.
    enum Arrival: Sendable {
        /// A complete feed message: topic, NUL, protobuf.
        case message([UInt8])
        /// The feed does not admit the client's key, and nothing more comes on this connection.
        case keyRefused
    }

    let port: UInt16
    let mailbox: Mailbox<Arrival>
    private let pumps: [Task<Void, Never>]

    init(socket: SubscriberSocket, port: UInt16, time: any TimeSource) {
        self.port = port
        let mailbox = Mailbox<Arrival>(limit: 1024, time: time)
        self.mailbox = mailbox
        // Unstructured, since they live as long as the subscription; they keep only the socket alive.
        let messages = Task { [sender = mailbox.sender] in
            while let received = await socket.receive() {
                if let part = received.parts.first, received.parts.count == 1 { sender.post(.message(part.bytes)) }
            }
            await socket.close()
            sender.close()
        }
        let refusals = Task { [sender = mailbox.sender] in
            var handshake = HandshakeWatch()
            for await event in socket.connectionEvents where handshake.note(event) {
                if handshake.finding == .keyRefused { sender.post(.keyRefused) }
            }
        }
        pumps = [messages, refusals]
    }

    deinit { for pump in pumps { pump.cancel() } }
}

extension RigClient {
    /// Subscribes to everything on the feed of the coordinator's host.
    func subscribe(toFeedPort port: UInt16) async throws(RigClientError) -> sending FeedSubscription {
        let feed = Self.endpoint(endpoint, withPort: port)
        do {
            var options = SocketOptions()
            options.reconnectIntervalMax = .milliseconds(400)
            if let keys { options.security = keys.toCoordinator }
            let socket = try SubscriberSocket(context: context, executor: executor, options: options)
            try await socket.subscribe("")
            try await socket.connect(to: feed)
            return FeedSubscription(socket: socket, port: port, time: time)
        } catch {
            throw .closed(operation: "subscribe", endpoint: feed, reason: "\(error)")
        }
    }

    /// The same endpoint with another port.
    static func endpoint(_ endpoint: String, withPort port: UInt16) -> String {
        guard let colon = endpoint.lastIndex(of: ":") else { return endpoint }
        return endpoint[...colon] + String(port)
    }
}

/// The rig's events in order and without gaps, also if the coordinator restarts between them.
///
/// It ends when its task is cancelled or the client is closed. It throws ``RigClientError`` if no coordinator answers
/// at the start. Later silences are items.
public struct RigEvents: AsyncSequence, Sendable {
    public typealias Element = RigFeedItem

    /// Where to begin.
    public enum Start: Hashable, Sendable {
        /// With the events from this moment on.
        case now
        /// With the oldest event that the coordinator still has.
        case beginning
        /// With the event after this one, which a reader has seen before; with `skipped` if the coordinator no longer has all of them.
        case after(UInt64, of: Epoch)
    }

    let client: RigClient
    let start: Start

    public func makeAsyncIterator() -> Iterator {
        Iterator(follower: FeedFollower(client: client, start: start))
    }

    /// One follower with a separate subscription.
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

/// An item that a follower of the rig's events receives.
public enum RigFeedItem: Hashable, Sendable {
    /// The next event. No event is missing between it and the previous one, unless `skipped` says so.
    case event(FeedEvent)
    /// This number of events is lost to this follower: the coordinator has already dropped them. nil if it no longer knows what followed the
    /// last one, so that any number may be lost.
    case skipped(count: UInt64?)
    /// The coordinator has restarted; its sequence begins again.
    case restarted(Epoch)
    /// The coordinator is silent since this instant of the client's clock, at which it gave its last sign of life; the follower continues to
    /// try.
    case silent(since: LocalTime)
}
