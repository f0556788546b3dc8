import RigConfiguration
import RigCore
import RigWire
import ZeroMQ

/// Where a coordinator's channels are.
public struct CoordinatorEndpoints: Hashable, Codable, Sendable {
    public var control: String
    public var client: String
    public var feed: String
    var clockPort: UInt16
    var collectPort: UInt16
    var feedPort: UInt16
}

/// The coordinator's five sockets. Clock, collect and feed have threads of their own at this end too.
struct CoordinatorSockets: Sendable {
    let control: RouterSocket
    let clock: RouterSocket
    let collect: RouterSocket
    let client: RouterSocket
    let feed: PublisherSocket

    init(context: ZeroMQContext) throws(ZeroMQError) {
        let shared = try SocketExecutor(name: "zmq-control")
        control = try RouterSocket(context: context, executor: shared, options: Self.options(.control))
        clock = try RouterSocket(
            context: context, executor: try SocketExecutor(name: "zmq-clock"), options: Self.options(.clock))
        var collectOptions = Self.options(.collect)
        collectOptions.maximumMessageSize = WireCoding.maximumChunkByteCount
        collect = try RouterSocket(
            context: context, executor: try SocketExecutor(name: "zmq-collect"), options: collectOptions)
        var clientOptions = Self.options(.client, connections: Self.clientLimit)
        // libzmq counts answers and not their bytes, and a page of a replay has some hundred kilobytes: what a client does
        // not read waits in the socket's own queue, which is bounded by bytes.
        clientOptions.sendHighWaterMark = 16
        clientOptions.sendQueueByteLimit = 2 << 20
        // A request may have as many bytes as an answer.
        clientOptions.receiveHighWaterMark = 2
        client = try RouterSocket(context: context, executor: shared, options: clientOptions)
        var feedOptions = Self.options(.feed, connections: Self.clientLimit)
        // What followers send is their subscriptions, of 128 bytes at most.
        feedOptions.receiveHighWaterMark = 64
        feedOptions.stallLimit = .seconds(3)
        // Subscriptions are libzmq's to sort in and out, on the socket's thread: a rogue's must not hold up a trigger.
        feed = try PublisherSocket(
            context: context, executor: try SocketExecutor(name: "zmq-feed"), options: feedOptions)
    }

    /// Binds every channel at its place after the base port, or anywhere for base port 0.
    func bind(_ listen: CoordinatorConfiguration.Listen) async throws(ZeroMQError) -> CoordinatorEndpoints {
        func address(_ offset: UInt16) -> String {
            let port = listen.basePort == 0 ? "*" : "\(listen.basePort + offset)"
            return "tcp://\(ListenHost.bracketed(listen.host)):\(port)"
        }
        let control = try await control.bind(to: address(0))
        let clock = try await clock.bind(to: address(1))
        let collect = try await collect.bind(to: address(2))
        let client = try await client.bind(to: address(3))
        let feed = try await feed.bind(to: address(4))
        return CoordinatorEndpoints(
            control: control, client: client, feed: feed, clockPort: Self.port(of: clock),
            collectPort: Self.port(of: collect), feedPort: Self.port(of: feed))
    }

    func close() async {
        await control.close()
        await clock.close()
        await collect.close()
        await client.close()
        await feed.close()
    }

    /// Connections of clients and of followers of the feed. Those of agents are bounded as the roster's nodes are.
    private static let clientLimit = 2048

    private static func options(_ coding: WireCoding, connections: Int = Roster.nodeLimit) -> SocketOptions {
        var options = SocketOptions()
        options.maximumMessageSize = coding.maximumByteCount
        options.connectionLimit = connections
        // libzmq counts what waits to be read in messages, of a mebibyte each if a peer likes; the peer waits beyond. Messages are
        // read at once and wait for a disk or another node elsewhere, so few are needed here.
        options.receiveHighWaterMark = 16
        options.receivePrefetch = 2
        return options
    }

    private static func port(of endpoint: String) -> UInt16 {
        endpoint.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }
}
