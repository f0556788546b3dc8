internal import CPosix
internal import Glibc

/// The work that waits for an executor's thread, and the thread's phase.
///
/// Any thread may submit. The order of submitting is the order of running. The wake flag is raised only while the thread
/// sleeps or is about to, so a burst costs one system call.
package final class WorkQueue: Sendable {
    private struct State: Sendable {
        var batch = WorkBatch()
        var isSleeping = false
        var phase = Phase.running
        var isRunningLate = false
        /// nil once the thread has ended. Whoever raises it holds it, so that its descriptor is not another file's by then.
        var wake: EventFlag?
    }

    private enum Phase: Sendable { case running, stopping, stopped }

    private let state: Locked<State>
    private let lateThreadName: String

    /// - Parameter lateThreadName: Of the thread that runs what comes after the end of the executor's own.
    package init(wake: EventFlag, lateThreadName: String) {
        state = Locked(State(wake: wake))
        self.lateThreadName = lateThreadName
    }

    /// Whether ``stop()`` has been asked for.
    package var isStopping: Bool { state.withLock { $0.phase != .running } }

    /// Whether the caller runs on the thread that runs this queue's work.
    package var isCurrent: Bool { unsafe caprig_current_work_queue() == identity }

    /// Adds work; from any thread.
    package func submit(_ work: Work, for executor: (any SerialExecutor)? = nil) {
        let (wake, mustRunLate) = state.withLock { state -> (EventFlag?, Bool) in
            state.batch.append(work, for: executor)
            let wake = state.isSleeping ? state.wake : nil
            state.isSleeping = false
            guard state.phase == .stopped, !state.isRunningLate else { return (wake, false) }
            state.isRunningLate = true
            return (nil, true)
        }
        wake?.signal()
        if mustRunLate { startLateThread() }
    }

    /// Asks the thread to end.
    package func stop() {
        let wake = state.withLock { state in
            if state.phase == .running { state.phase = .stopping }
            state.isSleeping = false
            return state.wake
        }
        wake?.signal()
    }

    /// Swaps the empty `batch` for everything that waits, and marks the thread as awake.
    package func take(_ batch: inout WorkBatch) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.batch, &batch)
        }
    }

    /// Whether the thread may sleep. From here on ``submit(_:for:)`` raises the wake flag.
    package func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.batch.isEmpty && state.phase == .running
            return state.isSleeping
        }
    }

    /// Runs what waits until nothing does; the last thing the executor's thread calls.
    package func drainAndFinish() {
        drain { state in
            state.phase = .stopped
            state.wake = nil
        }
    }

    /// Marks this thread as the one that runs the queue's work.
    package func adoptThread() { unsafe caprig_set_current_work_queue(identity) }

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

    /// Runs work that came after the thread ended, so that no task waits for ever.
    private func startLateThread() {
        let body: @Sendable () -> Void = {
            self.adoptThread()
            self.drain { state in state.isRunningLate = false }
        }
        while true {
            if let thread = try? NamedThread(name: lateThreadName, signals: .blocked, body) { return thread.detach() }
            // Losing the work would hang its task, so this insists; the system is short of threads for a moment only.
            usleep(1000)
        }
    }
}
