import Glibc
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

/// Waits until a counter or state that another thread changes has the value a test expects. The suite's time limit ends a
/// wait that would never end.
func eventually(_ condition: () async -> Bool) async throws {
    while await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

/// A plain TCP connection, as a stranger who does not speak ZeroMQ makes it.
final class TCPClient: Sendable {
    private let descriptor: Int32

    /// Connects to an endpoint such as `tcp://127.0.0.1:4711`.
    init(to endpoint: String) throws {
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw Silence() }
        descriptor = try Self.connected(toPort: port)
    }

    private static func connected(toPort port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            _ = close(descriptor)
            throw Silence()
        }
        return descriptor
    }

    func write(_ bytes: [UInt8]) { _ = unsafe Glibc.write(descriptor, bytes, bytes.count) }

    /// Waits until the other side has sent `bytes`, or closes.
    func read(until bytes: [UInt8]) {
        var received: [UInt8] = []
        var byte: UInt8 = 0
        while !received.suffix(bytes.count).elementsEqual(bytes), unsafe Glibc.read(descriptor, &byte, 1) == 1 {
            received.append(byte)
        }
    }

    /// Waits until the other side closes.
    func readToEnd() {
        var buffer = [UInt8](repeating: 0, count: 256)
        while unsafe Glibc.read(descriptor, &buffer, buffer.count) > 0 {}
    }

    deinit { _ = Glibc.close(descriptor) }
}
