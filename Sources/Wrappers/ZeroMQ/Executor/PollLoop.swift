internal import CZeroMQ
internal import PosixSupport

/// Sleeps in `zmq_poll` on the wake flag and every socket of one executor, and hands out what happens.
///
/// Guard for `@unchecked Sendable`: after `init` everything but the queue is touched on the executor's thread only.
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
            queue.take(&batch)
            batch.run()
            poll()
        }
        for socket in sockets { socket.close() }
        sockets = []
        queue.drainAndFinish()
        wake = nil
    }

    /// Takes over a socket, made on any thread; on the executor's thread. A stopping executor closes it at once.
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

    /// Rebuilds the list after sockets came or went, and asks each for the events it wants this time.
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
            // Input first: its time stamp is taken there. A handler may close any socket, so each step asks again.
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

    /// After `ZeroMQContext.shutdown()` every poll fails until the context's sockets are gone from the list.
    private func closeEndedSockets() {
        for socket in sockets where socket.isEnded { socket.close() }
    }
}
