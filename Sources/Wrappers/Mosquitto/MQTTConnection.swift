internal import PosixSupport

/// One connection to a broker, from the attempt to make it to its end. It is not made again: make another object.
///
/// It has a thread of its own, named `mqtt`, on which everything of libmosquitto happens. The thread ends with the connection, after
/// ``close(leaving:)`` at once, and at the latest when the name server has answered; nobody waits for it. Every method may be called
/// anywhere and returns at once.
public final class MQTTConnection: Sendable {
    /// What a connection tells.
    public enum Event: Hashable, Sendable {
        /// The broker has accepted the connection; the first event, or there is none.
        case connected
        case received(MQTTMessage)
        /// The broker does not let this client subscribe.
        case subscriptionRefused(filter: String, reason: String)
        /// The broker does not take a message of this client.
        case messageRefused(topic: String, reason: String)
    }

    /// Messages since the start of the connection.
    public struct Counters: Hashable, Sendable {
        /// Handed to the network, or with ``MQTTMessage/Quality/atLeastOnce`` confirmed by the broker.
        public var sent: UInt64 = 0
        /// Of this end, since too many waited.
        public var dropped: UInt64 = 0
        /// Of this end, refused by the broker.
        public var refused: UInt64 = 0
        /// Of the broker, since too many waited for the reader of ``MQTTConnection/events``.
        public var unread: UInt64 = 0

        public init() {}
    }

    /// The end of a connection that this end wants.
    public enum Leave: Hashable, Sendable {
        /// After everything that waits is sent; the broker drops the will.
        case quietly
        /// After everything that waits is sent; the broker publishes the will.
        case publishingWill
        /// Without another word, as a crash would.
        case atOnce
    }

    /// Events that may wait for their reader; further ones are dropped and counted.
    static let eventLimit = 512
    /// The most bytes of a message that a broker may send.
    public static let packetLimit = 32 << 10

    /// What happens. One task reads it. It ends with the connection.
    public let events: AsyncStream<Event>
    /// Ends, without an element, when the connection has ended, also for one who has stopped to read ``events``. One task waits for it.
    public let end: AsyncStream<Never>
    let shared: SharedState

    /// Begins to connect.
    /// - Throws: If this machine has no thread or descriptor left.
    public init(_ settings: MQTTSettings) throws(MQTTError) {
        let (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(Self.eventLimit))
        self.events = events
        let (end, ended) = AsyncStream.makeStream(of: Never.self)
        self.end = end
        do {
            let shared = SharedState(wake: try EventFlag(), events: continuation, end: ended)
            self.shared = shared
            try NamedThread(name: "mqtt", signals: .blocked) { ConnectionLoop(settings, shared).run() }.detach()
        } catch {
            throw MQTTError(.unusable, broker: "\(settings.host):\(settings.port)", reason: "\(error)")
        }
    }

    deinit { close(leaving: .atOnce) }

    /// Sends a message. Of those with the same topic that wait only the newest is sent.
    public func publish(state message: MQTTMessage) { shared.add(message, .state) }

    /// Sends a message. If too many wait, the oldest is dropped.
    public func publish(event message: MQTTMessage) { shared.add(message, .event) }

    /// Receives messages of further topics, once the broker has accepted the connection.
    public func subscribe(_ subscription: MQTTSubscription) { shared.add(subscription) }

    /// Ends the connection. A broker that does not answer keeps it open, until it is ended `.atOnce`.
    public func close(leaving leave: Leave) { shared.close(leave) }

    public var counters: Counters { shared.counters }

    /// Why the connection has ended; nil before the end of ``events``.
    public var ending: MQTTError? { shared.ending }
}

/// What the thread of a connection and its users share.
final class SharedState: Sendable {
    private struct State {
        var outbox = Outbox()
        var subscriptions: [MQTTSubscription] = []
        var leave: MQTTConnection.Leave?
        var counters = MQTTConnection.Counters()
        var ending: MQTTError?
    }

    /// Subscriptions that may wait for the connection. No user has more.
    private static let subscriptionLimit = 64

    let wake: EventFlag
    private let events: AsyncStream<MQTTConnection.Event>.Continuation
    private let end: AsyncStream<Never>.Continuation
    private let state = Locked(State())

    init(
        wake: EventFlag, events: AsyncStream<MQTTConnection.Event>.Continuation, end: AsyncStream<Never>.Continuation
    ) {
        self.wake = wake
        self.events = events
        self.end = end
    }

    func add(_ message: MQTTMessage, _ kind: Outbox.Kind) {
        state.withLock { state in
            if state.ending == nil { state.outbox.add(message, kind) }
        }
        wake.signal()
    }

    func add(_ subscription: MQTTSubscription) {
        state.withLock { state in
            if state.subscriptions.count < Self.subscriptionLimit { state.subscriptions.append(subscription) }
        }
        wake.signal()
    }

    func close(_ leave: MQTTConnection.Leave) {
        state.withLock { state in
            if state.leave != .atOnce { state.leave = leave }
        }
        wake.signal()
    }

    var leave: MQTTConnection.Leave? { state.withLock(\.leave) }
    var ending: MQTTError? { state.withLock(\.ending) }
    var isOutboxEmpty: Bool { state.withLock { $0.outbox.isEmpty } }

    var counters: MQTTConnection.Counters {
        state.withLock { state in
            var counters = state.counters
            counters.dropped += state.outbox.dropped
            return counters
        }
    }

    func count(_ change: (inout MQTTConnection.Counters) -> Void) {
        state.withLock { change(&$0.counters) }
    }

    func removeMessage() -> MQTTMessage? { state.withLock { $0.outbox.removeNext() } }

    func removeSubscriptions() -> [MQTTSubscription] {
        state.withLock { state in
            defer { state.subscriptions = [] }
            return state.subscriptions
        }
    }

    func tell(_ event: MQTTConnection.Event) {
        if case .dropped = events.yield(event) { count { $0.unread += 1 } }
    }

    /// The last call of the connection's thread.
    func finish(_ ending: MQTTError) {
        state.withLock { state in
            state.ending = ending
            state.outbox = Outbox()
        }
        events.finish()
        end.finish()
    }
}
