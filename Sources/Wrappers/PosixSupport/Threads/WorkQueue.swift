internal import CPosix
internal import Glibc

/// The work that waits for an executor's thread, and the thread's phase.
///
/// Any thread may submit. Work runs in the order of submission. The wake flag is raised only while the thread sleeps or is about to, so a
/// burst costs one system call.
package final class WorkQueue: Sendable {
    private struct State: Sendable {
        var batch = WorkBatch()
        var isSleeping = false
        var phase = Phase.running
        var isRunningLate = false
        /// nil once the thread has ended. A thread that raises it holds a reference, so that its descriptor is not reused before that.
        var wake: EventFlag?
    }

    private enum Phase: Sendable { case running, stopping, stopped }

    private let state: Locked<State>
    private let lateThreadName: String

    /// - Parameter lateThreadName: The name of the thread that runs work submitted after the end of the executor's thread.
    package init(wake: EventFlag, lateThreadName: String) {
        state = Locked(State(wake: wake))
        self.lateThreadName = lateThreadName
    }

    /// Whether ``stop()`` has been called.
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
    package func dequeue(_ batch: inout WorkBatch) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.batch, &batch)
        }
    }

    /// Returns whether the thread may sleep. After this call ``submit(_:for:)`` raises the wake flag.
    package func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.batch.isEmpty && state.phase == .running
            return state.isSleeping
        }
    }

    /// Runs work until none waits; the last call of the executor's thread.
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
            dequeue(&batch)
            batch.run()
        }
    }

    /// Runs work that arrived after the thread ended, so that no task waits forever.
    private func startLateThread() {
        let body: @Sendable () -> Void = {
            self.adoptThread()
            self.drain { state in state.isRunningLate = false }
        }
        while true {
            if let thread = try? NamedThread(name: lateThreadName, signals: .blocked, body) { return thread.detach() }
            // Losing the work would block its task forever, so this retries. A shortage of threads is temporary.
            usleep(1000)
        }
    }
}

/// A unit of work for an executor's thread.
package enum Work: Sendable {
    /// A job of an actor.
    case job(UnownedJob)
    /// A job that no actor owns, and the preferred executor of its task.
    case task(UnownedJob, any TaskExecutor)
    /// A call by the executor itself.
    case call(@Sendable () -> Void)
}

/// Work in the order of submission, and its executor.
package struct WorkBatch: Sendable {
    private var work: [Work] = []
    /// Keeps the executor alive until its jobs have run: a job may drop the last other reference.
    private var executor: (any SerialExecutor)?

    package init() {}

    var isEmpty: Bool { work.isEmpty }

    mutating func append(_ item: Work, for executor: (any SerialExecutor)?) {
        work.append(item)
        if let executor { self.executor = executor }
    }

    /// Runs everything and becomes empty. The memory is kept for the next round.
    package mutating func run() {
        for item in work {
            switch item {
            case .call(let body): body()
            case .job(let job):
                // A job never arrives without its executor.
                if let executor { unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
            case .task(let job, let tasks): unsafe job.runSynchronously(on: tasks.asUnownedTaskExecutor())
            }
        }
        work.removeAll(keepingCapacity: true)
        executor = nil
    }
}
