internal import CZeroMQ
internal import PosixSupport

/// What all sockets do on their executor's thread.
///
/// Guard for `@unchecked Sendable`: after `init` everything mutable is touched on the executor's thread only, by the poll
/// loop or by the socket's actor, which runs there.
class SocketCore: @unchecked Sendable {
    let handle: SocketHandle
    let monitor: SocketMonitor
    let options: SocketOptions
    let connectionEvents: AsyncStream<ConnectionEvent>
    let queue: WorkQueue
    var counters = SocketCounters()
    private(set) var isOpen = true
    /// Whether the connection of a socket that connects to one endpoint is usable. Not what counters tell: libzmq reports no end of
    /// a connection that is ended by `zmq_disconnect`.
    var isConnected = false
    /// The names that are connected to.
    var names: [String: FamilySearch] = [:]
    /// This end's address of the TCP connection that was made last, in numbers.
    private(set) var localAddress: String?
    /// What `connect(to:)` was called with, once each time.
    var connectedEndpoints: [String] = []
    /// The errno name of the last attempt to bind that failed.
    private(set) var lastBindFailure: String?
    private let eventContinuation: AsyncStream<ConnectionEvent>.Continuation

    /// Events of one round; more wait for the next, so that a flood of connections cannot starve the sockets.
    private static let eventsPerRound = 256
    private static let eventBufferLimit = 256

    init(context: ZeroMQContext, executor: SocketExecutor, type: Int32, options: SocketOptions) throws(ZeroMQError) {
        guard !executor.queue.isStopping else { throw ZeroMQError(code: "ECANCELED", operation: "create a socket") }
        handle = try SocketHandle(context: context, type: type)
        try options.apply(to: handle)
        monitor = try SocketMonitor(of: handle, context: context)
        self.options = options
        queue = executor.queue
        (connectionEvents, eventContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.eventBufferLimit))
    }

    /// Hands the complete socket to the poll loop; the last thing a socket's `init` does.
    func start(on executor: SocketExecutor) {
        let loop = executor.loop
        queue.submit(.call { loop.add(self) })
    }

    // MARK: What the poll loop asks and calls

    var wantsInput: Bool { false }
    var wantsOutput: Bool { false }
    /// When `retry` is due, in `CLOCK_MONOTONIC` nanoseconds.
    var retryAtNanoseconds: Int64? { nil }
    func handleInput() {}
    func handleOutput() {}
    func retry(atNanoseconds now: Int64) {}
    /// Lets go of waiting callers and messages; called once.
    func willClose() {}
    /// Hears of a TCP connection before anything that comes by it, as long as its monitor is read first.
    func accepted(descriptor: Int32, port: UInt16) {}

    final func handleMonitor() {
        for _ in 0..<Self.eventsPerRound {
            guard let (event, value) = monitor.next() else { return }
            counters.count(event.kind)
            noteConnection(event.kind)
            if let port = event.port {
                let descriptor = Int32(truncatingIfNeeded: value)
                if event.kind == .accepted {
                    accepted(descriptor: descriptor, port: port)
                    limitConnections(accepted: descriptor, port: port)
                } else if event.kind == .connected, let address = Self.localAddress(descriptor: descriptor, port: port)
                {
                    localAddress = address
                }
            }
            if case .bindFailed(let code) = event.kind { lastBindFailure = code }
            follow(event)
            eventContinuation.yield(event)
        }
    }

    private func noteConnection(_ kind: ConnectionEvent.Kind) {
        switch kind {
        case .handshakeSucceeded: isConnected = true
        // An attempt to connect says that there is no connection, whatever was reported of an earlier one.
        case .connected, .connectDelayed, .connectRetried, .disconnected: isConnected = false
        default: break
        }
    }

    /// Ends the connection that was accepted last where there are too many. libzmq cannot be told a limit, and by the time
    /// its event is read the connection may have ended and its descriptor be another's: then that one is left alone, unless
    /// it came to the same endpoint, where it is one too many as well.
    private func limitConnections(accepted descriptor: Int32, port: UInt16) {
        guard options.connectionLimit > 0, counters.acceptedConnections > options.connectionLimit,
            czmq_end_connection(descriptor, port)
        else { return }
        counters.refusedConnections += 1
    }

    private static func localAddress(descriptor: Int32, port: UInt16) -> String? {
        // NI_MAXHOST.
        var text = [CChar](repeating: 0, count: 1025)
        guard unsafe czmq_local_address(descriptor, port, &text, text.count) else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the context has been shut down.
    final var isEnded: Bool { handle.isEnded || monitor.isEnded }

    final func close() {
        guard isOpen else { return }
        isOpen = false
        willClose()
        handleMonitor()
        isConnected = false
        eventContinuation.finish()
        monitor.close()
        handle.close()
    }

    /// Closes from another thread; the executor does it later.
    final func closeLater() {
        queue.submit(.call { self.close() })
    }

    /// Why a message cannot be sent whatever the peer does.
    final func refusal(of message: Message) -> SendRefusal? {
        if !isOpen { return .closed }
        return message.parts.contains { $0.count > options.maximumMessageSize } ? .tooLarge : nil
    }

    final func countSent(_ message: Message) {
        counters.sent += 1
        counters.sentBytes += message.byteCount
    }
}
