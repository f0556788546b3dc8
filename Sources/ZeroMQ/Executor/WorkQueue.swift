internal import CZeroMQ

/// The work that waits for an executor's thread, and the thread's phase.
///
/// Any thread may submit. The order of submitting is the order of running. The wake signal is written only while the
/// poll loop sleeps or is about to, so a burst costs one system call.
final class WorkQueue: Sendable {
    private struct State: Sendable {
        var batch = WorkBatch()
        var isSleeping = false
        var phase = Phase.running
        var isRunningLate = false
    }

    private enum Phase: Sendable { case running, stopping, stopped }

    private let state = Locked(State())
    private let wake: WakeSignal

    init(wake: WakeSignal) { self.wake = wake }

    /// Whether `stop()` has been asked for.
    var isStopping: Bool { state.withLock { $0.phase != .running } }

    /// Whether the caller runs on the thread that runs this queue's work.
    var isCurrent: Bool { unsafe czmq_current_executor() == identity }

    /// Adds work; from any thread.
    func submit(_ work: Work, for executor: SocketExecutor? = nil) {
        let (mustWake, mustRunLate) = state.withLock { state in
            state.batch.append(work, for: executor)
            let wasSleeping = state.isSleeping
            state.isSleeping = false
            guard state.phase == .stopped, !state.isRunningLate else { return (wasSleeping, false) }
            state.isRunningLate = true
            return (false, true)
        }
        if mustWake { wake.signal() }
        if mustRunLate { startLateThread() }
    }

    /// Asks the loop to end.
    func stop() {
        state.withLock { state in
            if state.phase == .running { state.phase = .stopping }
            state.isSleeping = false
        }
        wake.signal()
    }

    /// Swaps the empty `batch` for everything that waits, and marks the loop as awake.
    func take(_ batch: inout WorkBatch) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.batch, &batch)
        }
    }

    /// Whether the loop may sleep. From here on `submit` writes the wake signal.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.batch.isEmpty && state.phase == .running
            return state.isSleeping
        }
    }

    /// Runs what waits until nothing does; the last thing the loop's thread calls.
    func drainAndFinish() {
        drain { state in state.phase = .stopped }
    }

    /// Marks this thread as the one that runs the queue's work.
    func adoptThread() { unsafe czmq_set_current_executor(identity) }

    private var identity: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    private func drain(then finish: (inout State) -> Void) {
        var batch = WorkBatch()
        while true {
            let isFinished = state.withLock { state in
                guard state.batch.isEmpty else { return false }
                finish(&state)
                return true
            }
            if isFinished { return }
            take(&batch)
            batch.run()
        }
    }

    /// Runs work that came after the loop ended, so that no task waits for ever.
    private func startLateThread() {
        let body: @Sendable () -> Void = {
            self.adoptThread()
            self.drain { state in state.isRunningLate = false }
        }
        // Losing the work would hang its task, so this insists; the system is short of threads for a moment only.
        while (try? ExecutorThread.detach(name: "zmq-late", body: body)) == nil { czmq_pause() }
    }
}
