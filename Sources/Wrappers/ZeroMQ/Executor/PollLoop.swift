internal import CZeroMQ
internal import PosixSupport

/// Waits in `zmq_poll` for the wake flag and every socket of one executor, and dispatches their events.
///
/// Guard for `@unchecked Sendable`: after `init` everything except the queue is used only on the executor's thread.
final class PollLoop: @unchecked Sendable {
    private let queue: WorkQueue
    /// nil once the thread has ended.
    private var wake: EventFlag?
    private var sockets: [SocketCore] = []
    private var items = PollItems()
    private var isArrangementStale = true

    init(queue: WorkQueue, wake: EventFlag) {
        self.queue = queue
        self.wake = wake
    }

    /// The body of the executor's thread.
    func run() {
        queue.adoptThread()
        var batch = WorkBatch()
        while !queue.isStopping {
            queue.dequeue(&batch)
            batch.run()
            poll()
        }
        for socket in sockets { socket.close() }
        sockets = []
        queue.drainAndFinish()
        wake = nil
    }

    /// Adds a socket that was created on any thread. Runs on the executor's thread. If the executor is stopping, the socket is closed at
    /// once.
    func add(_ socket: SocketCore) {
        guard !queue.isStopping else { return socket.close() }
        sockets.append(socket)
        isArrangementStale = true
    }

    private func poll() {
        arrange()
        let canSleep = queue.prepareToSleep()
        let outcome = items.poll(timeoutMilliseconds: canSleep ? sleepMilliseconds() : 0)
        switch outcome {
        case .ready: dispatch()
        case .interrupted: break
        case .failed: closeEndedSockets()
        }
    }

    /// Rebuilds the list after sockets were added or closed, and asks each socket for the events that it waits for.
    private func arrange() {
        if isArrangementStale || sockets.contains(where: { !$0.isOpen }) {
            sockets.removeAll { !$0.isOpen }
            items.rebuild(wakeDescriptor: wake?.descriptor ?? -1, sockets: sockets)
            isArrangementStale = false
        }
        for (index, socket) in sockets.enumerated() {
            items.setEvents(index, input: socket.wantsInput, output: socket.wantsOutput)
        }
    }

    private func sleepMilliseconds() -> Int {
        guard let next = sockets.lazy.compactMap(\.retryAtNanoseconds).min() else { return -1 }
        let left = next - czmq_monotonic_nanoseconds()
        return left <= 0 ? 0 : Int(clamping: (left + 999_999) / 1_000_000)
    }

    private func dispatch() {
        if items.wakeIsReady { wake?.clear() }
        for (index, socket) in sockets.enumerated() {
            let ready = items.ready(index)
            // Input first, since its time stamp is taken there. A handler may close any socket, so each step checks again.
            if ready.input, socket.isOpen { socket.handleInput() }
            if ready.output, socket.isOpen { socket.handleOutput() }
            if ready.monitor, socket.isOpen { socket.handleMonitor() }
        }
        retryDueSockets()
    }

    private func retryDueSockets() {
        for socket in sockets where socket.isOpen {
            guard let due = socket.retryAtNanoseconds else { continue }
            let now = czmq_monotonic_nanoseconds()
            if due <= now { socket.retry(atNanoseconds: now) }
        }
    }

    /// Closes ended sockets. After `ZeroMQContext.shutdown()` every poll fails until the context's sockets are removed from the list.
    private func closeEndedSockets() {
        for socket in sockets where socket.isEnded { socket.close() }
    }
}

/// The array that `zmq_poll` uses: the wake descriptor, then a socket and its monitor for each core.
///
/// Used only on the executor's thread.
@safe struct PollItems: ~Copyable {
    enum Outcome { case ready, interrupted, failed }

    private var items: [zmq_pollitem_t] = unsafe []

    var wakeIsReady: Bool { unsafe items.first.map { unsafe $0.revents != 0 } ?? false }

    mutating func rebuild(wakeDescriptor: Int32, sockets: [SocketCore]) {
        unsafe items.removeAll(keepingCapacity: true)
        unsafe items.append(zmq_pollitem_t(socket: nil, fd: wakeDescriptor, events: Int16(ZMQ_POLLIN), revents: 0))
        for socket in sockets {
            unsafe items.append(zmq_pollitem_t(socket: socket.handle.pointer, fd: 0, events: 0, revents: 0))
            unsafe items.append(
                zmq_pollitem_t(socket: socket.monitor.pointer, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0))
        }
    }

    /// Sets the events that the core at `index` waits for. Its monitor is always polled.
    mutating func setEvents(_ index: Int, input: Bool, output: Bool) {
        unsafe items[1 + 2 * index].events = Int16((input ? ZMQ_POLLIN : 0) | (output ? ZMQ_POLLOUT : 0))
    }

    func ready(_ index: Int) -> (input: Bool, output: Bool, monitor: Bool) {
        let events = unsafe Int32(items[1 + 2 * index].revents)
        let monitor = unsafe Int32(items[2 + 2 * index].revents)
        return (events & ZMQ_POLLIN != 0, events & ZMQ_POLLOUT != 0, monitor & ZMQ_POLLIN != 0)
    }

    mutating func poll(timeoutMilliseconds: Int) -> Outcome {
        let code = unsafe items.withUnsafeMutableBufferPointer { buffer in
            unsafe zmq_poll(buffer.baseAddress, Int32(buffer.count), timeoutMilliseconds)
        }
        if code >= 0 { return .ready }
        return zmq_errno() == EINTR ? .interrupted : .failed
    }
}
