import CaptureModel
import ChannelSecurity
import ControlMessages
import PosixSupport
import RigAccess
import RigConfiguration
import RigCore
import RigWire
import ZeroMQ

/// The endpoints of a coordinator's channels.
public struct CoordinatorEndpoints: Hashable, Codable, Sendable {
    public var control: String
    public var client: String
    public var feed: String
    var clock: String
    var collect: String
    /// `tcp://HOST:PORT`; nil without keys.
    public var join: String?
    /// The coordinator's public key in Z85; nil without keys.
    public var key: String?

    var clockPort: UInt16 { CoordinatorSockets.port(of: clock) }
    var collectPort: UInt16 { CoordinatorSockets.port(of: collect) }
    var feedPort: UInt16 { CoordinatorSockets.port(of: feed) }
}

/// The coordinator's sockets: five, and with keys a sixth. Clock, collect, feed and join have separate threads on the coordinator too.
struct CoordinatorSockets: Sendable {
    /// The I/O threads of the coordinator's context: one for everything else, and one for the clock, so that encrypting files
    /// does not delay its time stamps.
    static let ioThreadCount = 2
    private static let bulkThread = 0
    private static let clockThread = 1

    let control: RouterSocket
    let clock: RouterSocket
    let collect: RouterSocket
    let client: RouterSocket
    let feed: PublisherSocket
    /// nil without keys.
    let join: RouterSocket?
    /// The coordinator's public key in Z85; nil without keys.
    private let key: String?

    /// - Parameter keys: nil for sockets without keys.
    init(context: ZeroMQContext, keys: CoordinatorKeys?) throws(ZeroMQError) {
        key = keys.map { "\($0.pair.publicKey)" }
        let shared = try SocketExecutor(name: "zmq-control")
        var controlOptions = Self.options(.control, .control, keys)
        // A hello may have as many bytes as sixteen messages of another channel.
        controlOptions.receiveHighWaterMark = 4
        control = try RouterSocket(
            context: context, executor: shared, options: controlOptions)
        var clockOptions = Self.options(.clock, .clock, keys)
        clockOptions.ioThread = Self.clockThread
        clock = try RouterSocket(
            context: context, executor: try SocketExecutor(name: "zmq-clock"), options: clockOptions)
        var collectOptions = Self.options(.collect, .collect, keys)
        collectOptions.maximumMessageSize = WireCoding.maximumChunkByteCount
        collect = try RouterSocket(
            context: context, executor: try SocketExecutor(name: "zmq-collect"), options: collectOptions)
        var clientOptions = Self.options(.client, .client, keys, connections: Self.clientLimit)
        // libzmq counts answers and not their bytes, and a page of a replay has some hundred kilobytes. Answers that a
        // client does not read wait in the socket's queue of this program, which is bounded by bytes.
        clientOptions.sendHighWaterMark = 16
        clientOptions.sendQueueByteLimit = 2 << 20
        // A request may have as many bytes as an answer.
        clientOptions.receiveHighWaterMark = 2
        client = try RouterSocket(context: context, executor: shared, options: clientOptions)
        var feedOptions = Self.options(.feed, .feed, keys, connections: Self.clientLimit)
        // Followers send only subscriptions, of at most 128 bytes.
        feedOptions.receiveHighWaterMark = 64
        feedOptions.stallLimit = .seconds(3)
        // libzmq processes subscriptions on the socket's thread: those of a rogue client must not delay a trigger.
        feed = try PublisherSocket(
            context: context, executor: try SocketExecutor(name: "zmq-feed"), options: feedOptions)
        guard keys != nil else {
            join = nil
            return
        }
        // Strangers may connect there, so it has a thread and few connections of its own.
        var joinOptions = Self.options(.join, .join, keys, connections: Self.joinLimit)
        joinOptions.handshakeInterval = WireLimits.joinHandshake
        join = try RouterSocket(
            context: context, executor: try SocketExecutor(name: "zmq-join"), options: joinOptions)
    }

    /// Binds every channel at its offset from the base port, or to any free port if the base port is 0.
    func bind(_ listen: CoordinatorConfiguration.Listen) async throws(ZeroMQError) -> CoordinatorEndpoints {
        func address(_ channel: CoordinatorPort) -> String {
            let port = listen.basePort == 0 ? "*" : "\(listen.basePort + channel.rawValue)"
            return "tcp://\(ListenHost.bracketed(listen.host)):\(port)"
        }
        let control = try await control.bind(to: address(.control))
        let clock = try await clock.bind(to: address(.clock))
        let collect = try await collect.bind(to: address(.collect))
        let client = try await client.bind(to: address(.client))
        let feed = try await feed.bind(to: address(.feed))
        return CoordinatorEndpoints(
            control: control, client: client, feed: feed, clock: clock, collect: collect,
            join: try await join?.bind(to: address(.join)), key: key)
    }

    /// The sockets, at the endpoints to which they are bound.
    func listening(_ endpoints: CoordinatorEndpoints) -> [ListeningSocket] {
        return [
            ListeningSocket(.control, endpoints.control, control),
            ListeningSocket(.clock, endpoints.clock, clock),
            ListeningSocket(.collect, endpoints.collect, collect),
            ListeningSocket(.client, endpoints.client, client),
            ListeningSocket(.feed, endpoints.feed, feed),
        ]
            + [join].compactMap { socket in
                guard let socket, let endpoint = endpoints.join else { return nil }
                return ListeningSocket(.join, endpoint, socket)
            }
    }

    func close() async {
        await control.close()
        await clock.close()
        await collect.close()
        await client.close()
        await feed.close()
        await join?.close()
    }

    /// Limit of connections of clients and of followers of the feed. Those of agents have the limit of the roster's
    /// nodes.
    private static let clientLimit = 2048
    private static let joinLimit = 256

    private static func options(
        _ coding: WireCoding, _ domain: AccessDomain, _ keys: CoordinatorKeys?, connections: Int = Roster.nodeLimit
    ) -> SocketOptions {
        var options = SocketOptions()
        if let keys { options.security = keys.security(domain) }
        options.ioThread = bulkThread
        options.maximumMessageSize = coding.maximumByteCount
        options.connectionLimit = connections
        // libzmq counts unread messages and not their bytes. Further ones wait at the
        // peer. Messages are read at once and wait for a disk or a node elsewhere, so a low limit is enough.
        options.receiveHighWaterMark = 16
        options.receivePrefetch = 2
        return options
    }

    static func port(of endpoint: String) -> UInt16 {
        endpoint.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }
}

/// The channels as the rig's logic uses them.
struct ChannelLinks: RigLinks {
    let control: ControlService
    let collect: CollectService
    let collector: Collector
    let feed: EventFeed
    let feedService: FeedService

    func send(_ order: NodeOrder, to node: NodeName) async {
        await control.send(order, to: node)
    }

    func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) async {
        collector.collect(key, file, isAwaited: isAwaited)
    }

    func prioritize(_ shot: ShotID, _ isAwaited: Bool) {
        collector.prioritize(shot, isAwaited)
    }

    func release(_ key: FileKey, _ digest: ContentDigest?) async {
        collector.release(key, digest)
    }

    func abandon(_ key: FileKey) async {
        collector.abandon(key)
    }

    func tidy(_ shot: ShotID) async {
        collector.tidy(shot)
    }

    func publish(_ event: FeedEvent) {
        feed.append(event)
    }

    func journaledSequence() -> UInt64 {
        feed.journaledSequence()
    }

    func removeEventLoss() -> ClosedRange<UInt64>? {
        feed.removeLoss()
    }

    /// The numbers of messages that each channel dropped, by channel and cause.
    func droppedMessages() async -> [String: UInt64] {
        let control = await control.drops
        let collect = await collect.dropped.counts(of: "collect")
        let feed = await feedService.droppedMessages()
        return control.merging(collect) { own, _ in own }.merging(feed) { own, _ in own }
    }
}

/// Connections that the coordinator's channels refused or ended. The counts are kept outside the sockets, whose threads
/// a rogue peer may keep busy, so that reading them does not wait.
struct RefusedConnections: Sendable {
    private let sockets: CoordinatorSockets
    private let isTested: Bool
    private let kept = Locked<[String: [ConnectionRefusal: Int]]>([:])

    /// - Parameter isTested: Whether ``GateTest`` has made a connection to each channel but joining, which was refused and does not
    ///   count.
    init(of sockets: CoordinatorSockets, isTested: Bool) {
        self.sockets = sockets
        self.isTested = isTested
    }

    /// Numbers by channel and cause, such as `feed.topicLimit`; zeros are omitted.
    var counts: [String: UInt64] {
        let channels = kept.withLock(\.self)
        return Dictionary(
            uniqueKeysWithValues: channels.flatMap { channel, counts in
                counts.map { ("\(channel).\($0.key.rawValue)", UInt64($0.value)) }
            })
    }

    /// Follows the sockets until they are closed or the task is cancelled. It is the only consumer of their connection
    /// events.
    func follow() async {
        await withDiscardingTaskGroup { [sockets] group in
            group.addTask {
                await follow(sockets.control.connectionEvents, "control") { await sockets.control.counters }
            }
            group.addTask { await follow(sockets.clock.connectionEvents, "clock") { await sockets.clock.counters } }
            group.addTask {
                await follow(sockets.collect.connectionEvents, "collect") { await sockets.collect.counters }
            }
            group.addTask { await follow(sockets.client.connectionEvents, "client") { await sockets.client.counters } }
            group.addTask { await follow(sockets.feed.connectionEvents, "feed") { await sockets.feed.counters } }
            if let join = sockets.join {
                group.addTask { await follow(join.connectionEvents, "join") { await join.counters } }
            }
        }
    }

    private func follow(
        _ events: AsyncStream<ConnectionEvent>, _ channel: String, _ counters: @Sendable () async -> SocketCounters
    ) async {
        for await _ in events {
            var refusals = await counters().connectionRefusals
            if isTested, channel != "join", let count = refusals[.authentication] {
                refusals[.authentication] = count > 1 ? count - 1 : nil
            }
            kept.withLock { $0[channel] = refusals }
        }
    }
}
