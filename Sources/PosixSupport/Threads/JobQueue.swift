/// The jobs of a ``FileExecutor``, in order; appended from any thread, run on one.
final class JobQueue: Sendable {
    /// On whose behalf a job runs; keeps the executor alive while it has jobs.
    enum Role: Sendable {
        case job(of: FileExecutor)
        case task(of: FileTaskExecutor)
    }

    private struct Entry: Sendable {
        let job: UnownedJob
        let role: Role

        func run() {
            switch role {
            case .job(let executor): unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor())
            case .task(let executor): unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
            }
        }
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        /// Whether the thread has found nothing to do and must be woken; a thread that runs jobs looks again by itself.
        var isWaiting = false
        var isStopped = false
    }

    private let state = Locked(State())
    private let wake: EventFlag

    init(wake: EventFlag) {
        self.wake = wake
    }

    func append(_ job: UnownedJob, as role: Role) {
        let mustWake = state.withLock { state in
            state.entries.append(Entry(job: job, role: role))
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustWake { wake.signal() }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    /// Runs jobs until ``stop()``.
    func run() {
        while let entries = next() {
            for entry in entries { entry.run() }
        }
    }

    /// Waits for jobs; nil once stopped.
    private func next() -> [Entry]? {
        while true {
            let (entries, isStopped) = state.withLock { state in
                defer { state.entries = [] }
                state.isWaiting = state.entries.isEmpty
                return (state.entries, state.isStopped)
            }
            if !entries.isEmpty { return entries }
            if isStopped { return nil }
            wake.wait()
            // Lowered before looking: a job that comes in after the look raises it again.
            wake.clear()
        }
    }
}
