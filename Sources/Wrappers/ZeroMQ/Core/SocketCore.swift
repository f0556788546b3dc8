internal import CZeroMQ
internal import PosixSupport

/// The common part of all sockets on their executor's thread.
///
/// Guard for `@unchecked Sendable`: after `init` everything mutable is used only on the executor's thread, by the poll loop or by the
/// socket's actor, which runs there.
class SocketCore: @unchecked Sendable {
    let handle: SocketHandle
    let monitor: SocketMonitor
    let options: SocketOptions
    let connectionEvents: AsyncStream<ConnectionEvent>
    let queue: WorkQueue
    var counters = SocketCounters()
    private(set) var isOpen = true
    /// Whether the connection of a socket that connects to one endpoint is usable. It cannot be derived from the counters, since libzmq
    /// does not report the end of a connection that `zmq_disconnect` ends.
    var isConnected = false
    /// The connected endpoints with a host name.
    var names: [String: AddressFamilySearch] = [:]
    /// This end's address of the latest TCP connection, numeric.
    private(set) var localAddress: String?
    /// The arguments of `connect(to:)`, one entry for each call.
    var connectedEndpoints: [String] = []
    /// The callers that wait until the listener of an endpoint is closed.
    var closing: [String: [CheckedContinuation<Void, Never>]] = [:]
    private var connections: AcceptedConnections
    /// The errno name of the last failed attempt to bind.
    private(set) var lastBindFailure: String?
    private let eventContinuation: AsyncStream<ConnectionEvent>.Continuation

    /// The most events processed in one round. More wait for the next round, so that a flood of connections cannot starve the sockets.
    private static let eventsPerRound = 256
    private static let eventBufferLimit = 256

    init(context: ZeroMQContext, executor: SocketExecutor, type: Int32, options: SocketOptions) throws(ZeroMQError) {
        guard !executor.queue.isStopping else { throw ZeroMQError(code: "ECANCELED", operation: "create a socket") }
        handle = try SocketHandle(context: context, type: type)
        try options.apply(to: handle)
        monitor = try SocketMonitor(of: handle, context: context)
        self.options = options
        connections = AcceptedConnections(
            limit: options.connectionLimit,
            tellsUsable: ZeroMQLibrary.linked.patches.contains("name-connection-of-handshake"))
        queue = executor.queue
        (connectionEvents, eventContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.eventBufferLimit))
    }

    /// Gives the complete socket to the poll loop; the last call in a socket's `init`.
    func start(on executor: SocketExecutor) {
        let loop = executor.loop
        queue.submit(.call { loop.add(self) })
    }

    // MARK: What the poll loop asks and calls

    var wantsInput: Bool { false }
    var wantsOutput: Bool { false }
    /// The time at which `retry` is due, `CLOCK_MONOTONIC` nanoseconds.
    var retryAtNanoseconds: Int64? { nil }
    func handleInput() {}
    func handleOutput() {}
    func retry(atNanoseconds now: Int64) {}
    /// Releases waiting callers and messages. Called once.
    func willClose() {}
    /// Called for an accepted TCP connection before any of its messages are processed, if the caller reads the monitor first.
    func accepted(descriptor: Int32, port: UInt16) {}

    final func handleMonitor() {
        for _ in 0..<Self.eventsPerRound {
            guard let (event, value) = monitor.next() else { return }
            counters.count(event.kind)
            noteConnection(event.kind)
            if let port = event.port {
                let descriptor = Int32(truncatingIfNeeded: value)
                follow(event.kind, of: descriptor, port: port)
                if event.kind == .connected, let address = Self.localAddress(descriptor: descriptor, port: port) {
                    localAddress = address
                }
            }
            if case .bindFailed(let code) = event.kind { lastBindFailure = code }
            if event.kind == .closed { listenerClosed(event.endpoint) }
            follow(event)
            eventContinuation.yield(event)
        }
    }

    private func listenerClosed(_ endpoint: String) {
        for continuation in closing.removeValue(forKey: endpoint) ?? [] { continuation.resume() }
    }

    private func noteConnection(_ kind: ConnectionEvent.Kind) {
        switch kind {
        case .handshakeSucceeded: isConnected = true
        // An attempt to connect means that there is no connection, whatever was reported earlier.
        case .connected, .connectDelayed, .connectRetried, .disconnected: isConnected = false
        default: break
        }
    }

    /// Keeps track of accepted connections, and ends one if there are more than the limit, since libzmq has no option for it. By the time
    /// an event is read, the connection may have ended and its descriptor may belong to another one. That one is left alone, unless it is
    /// to the same endpoint.
    private func follow(_ kind: ConnectionEvent.Kind, of descriptor: Int32, port: UInt16) {
        switch kind {
        case .accepted:
            accepted(descriptor: descriptor, port: port)
            if let surplus = connections.accepted(descriptor, port: port),
                czmq_end_connection(surplus.descriptor, surplus.port)
            {
                counters.refusedConnections += 1
            }
        case .handshakeSucceeded: connections.becameUsable(descriptor)
        case .disconnected: connections.ended(descriptor)
        default: return
        }
        counters.acceptedConnections = connections.count
    }

    /// Notes that libzmq stops listening, and ends the connections of a port.
    final func listeningEnded(at port: UInt16) {
        connections.ended(at: port)
        counters.acceptedConnections = connections.count
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
        for endpoint in closing.keys { listenerClosed(endpoint) }
        eventContinuation.finish()
        monitor.close()
        handle.close()
    }

    /// Closes the socket from another thread. The executor does it later.
    final func closeLater() {
        queue.submit(.call { self.close() })
    }

    /// Returns why a message cannot be sent in any state of the peer; nil if it can.
    final func refusal(of message: Message) -> SendRefusal? {
        if !isOpen { return .closed }
        return message.parts.contains { $0.count > options.maximumMessageSize } ? .tooLarge : nil
    }

    final func countSent(_ message: Message) {
        counters.sent += 1
        counters.sentBytes += message.byteCount
    }
}

/// A DEALER socket: one queue in front of libzmq, emptied when libzmq reports that a peer accepts more.
///
/// Guard for `@unchecked Sendable`: as for ``SocketCore``.
final class DealerCore: ReceivingCore<ReceivedMessage>, @unchecked Sendable {
    private var waiting: SendQueue

    init(context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions) throws(ZeroMQError) {
        waiting = SendQueue(options: options)
        try super.init(context: context, executor: executor, type: ZMQ_DEALER, options: options)
        start(on: executor)
    }

    override func accept(_ message: ReceivedMessage) -> ReceivedMessage? { message }

    override var wantsOutput: Bool { !waiting.isEmpty }

    func send(_ message: Message) -> SendOutcome {
        if let refusal = refusal(of: message) { return counters.refuse(refusal) }
        // Waiting messages precede this one, to keep the order.
        guard waiting.isEmpty else { return append(message) }
        switch handle.send(message) {
        case .done:
            countSent(message)
            return .sent
        case .wouldBlock, .unreachable: return append(message)
        case .ended: return endedWhileSending()
        }
    }

    func send(_ makeMessage: (Int64) -> Message) -> SendOutcome {
        guard isOpen else { return counters.refuse(.closed) }
        guard waiting.isEmpty else { return counters.refuse(.queueFull) }
        let message = makeMessage(czmq_monotonic_nanoseconds())
        if let refusal = refusal(of: message) { return counters.refuse(refusal) }
        switch handle.send(message) {
        case .done:
            countSent(message)
            return .sent
        case .wouldBlock, .unreachable: return counters.refuse(.queueFull)
        case .ended: return endedWhileSending()
        }
    }

    override func handleOutput() {
        while let message = waiting.first {
            switch handle.send(message) {
            case .done:
                countSent(message)
                waiting.removeFirst()
            case .wouldBlock, .unreachable: return updateWaiting()
            case .ended: return close()
            }
        }
        updateWaiting()
    }

    override func willClose() {
        counters.discardedAtClose += waiting.count
        while waiting.removeFirst() {}
        updateWaiting()
        super.willClose()
    }

    private func append(_ message: Message) -> SendOutcome {
        guard case .queued(let dropped) = waiting.append(message) else { return counters.refuse(.queueFull) }
        counters.queued += 1
        counters.droppedOldest += dropped
        updateWaiting()
        return .queued
    }

    private func updateWaiting() {
        counters.waiting = waiting.count
        counters.waitingBytes = waiting.byteCount
    }

    private func endedWhileSending() -> SendOutcome {
        close()
        return counters.refuse(.closed)
    }
}
