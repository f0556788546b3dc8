import Dispatch
import PosixSupport

/// Runs tasks one at a time, and knows when none of them can go on, so that a test moves its clock only then.
final class TrackedExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tracked")
    private let jobs = Locked((enqueued: 0, pending: 0))

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { jobs in
            jobs.enqueued += 1
            jobs.pending += 1
        }
        queue.async { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            jobs.withLock { $0.pending -= 1 }
        }
    }

    /// Returns when no task can go on by itself.
    /// - Returns: How many jobs there have been, which tells whether there were any since the last call.
    func idle() async -> Int {
        while true {
            let (enqueued, pending) = jobs.withLock(\.self)
            if pending == 0 { return enqueued }
            await Task.yield()
        }
    }
}
