import Synchronization
import ZeroMQ

/// A context with two executors, so that the two ends of a connection have different threads, as in two processes.
///
/// Dropping the last reference to a socket closes it, and Swift drops references after their last use. So the rig keeps
/// every socket it has made until the end of the test.
final class TestRig: Sendable {
    let context: ZeroMQContext
    let near: SocketExecutor
    let far: SocketExecutor
    private let sockets = Mutex<[any Actor]>([])

    private init() throws {
        context = try ZeroMQContext()
        near = try SocketExecutor(name: "near")
        far = try SocketExecutor(name: "far")
    }

    /// Runs a test, then stops the executors.
    static func run(_ body: (TestRig) async throws -> Void) async throws {
        let rig = try TestRig()
        defer {
            rig.near.stop()
            rig.far.stop()
        }
        try await body(rig)
    }

    func dealer(_ options: SocketOptions = .init()) throws -> DealerSocket {
        try keep(DealerSocket(context: context, executor: near, options: options))
    }

    func router(_ options: SocketOptions = .init()) throws -> RouterSocket {
        try keep(RouterSocket(context: context, executor: far, options: options))
    }

    func subscriber(_ options: SocketOptions = .init()) throws -> SubscriberSocket {
        try keep(SubscriberSocket(context: context, executor: near, options: options))
    }

    func publisher(_ options: SocketOptions = .init()) throws -> PublisherSocket {
        try keep(PublisherSocket(context: context, executor: far, options: options))
    }

    /// A router and a dealer connected to it, of which the router has heard.
    func pair(
        dealer dealerOptions: SocketOptions = .init(), router routerOptions: SocketOptions = .init()
    ) async throws -> (dealer: DealerSocket, router: RouterSocket, peer: PeerID) {
        let router = try router(routerOptions)
        let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
        let (dealer, peer) = try await connected(to: endpoint, of: router, dealerOptions)
        return (dealer, router, peer)
    }

    /// A dealer that is connected to a router, and what the router calls it.
    func connected(
        to endpoint: String, of router: RouterSocket, _ options: SocketOptions = .init()
    ) async throws -> (dealer: DealerSocket, peer: PeerID) {
        let dealer = try dealer(options)
        try await dealer.connect(to: endpoint)
        _ = await dealer.send(Message(text: "hello"))
        guard let hello = await router.receive() else { throw Silence() }
        return (dealer, hello.peer)
    }

    private func keep<Socket: Actor>(_ socket: Socket) -> Socket {
        sockets.withLock { $0.append(socket) }
        return socket
    }
}

/// A peer that should have spoken did not.
struct Silence: Error {}

extension Message {
    init(text: String) { self.init(Array(text.utf8)) }

    /// The parts as text.
    var texts: [String] { parts.map { String(decoding: $0.bytes, as: UTF8.self) } }
}

extension ReceivedMessage {
    var texts: [String] { message.texts }
}
