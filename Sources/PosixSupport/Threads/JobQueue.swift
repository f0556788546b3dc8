/// The jobs of a ``FileExecutor``, in order; appended from any thread, run on one.
final class JobQueue: Sendable {
    private struct Entry: Sendable {
        let job: UnownedJob
        /// Keeps the executor alive while it has jobs.
        let executor: FileExecutor
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        var isStopped = false
    }

    private let state = Locked(State())
    private let wake: EventFlag

    init(wake: EventFlag) {
        self.wake = wake
    }

    func append(_ job: UnownedJob, on executor: FileExecutor) {
        let wasEmpty = state.withLock { state in
            state.entries.append(Entry(job: job, executor: executor))
            return state.entries.count == 1
        }
        if wasEmpty { wake.signal() }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    /// Runs jobs until ``stop()``.
    func run() {
        while let entries = next() {
            for entry in entries {
                unsafe entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor())
            }
        }
    }

    /// Waits for jobs; nil once stopped.
    private func next() -> [Entry]? {
        while true {
            // Lowered before looking: a job that comes in after the look raises it again.
            wake.clear()
            let (entries, isStopped) = state.withLock { state in
                defer { state.entries = [] }
                return (state.entries, state.isStopped)
            }
            if !entries.isEmpty { return entries }
            if isStopped { return nil }
            wake.wait()
        }
    }
}
