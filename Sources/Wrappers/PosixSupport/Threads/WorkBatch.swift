/// Something to run on an executor's thread.
package enum Work: Sendable {
    /// A piece of an actor's task.
    case job(UnownedJob)
    /// A piece of a task that no actor owns, and where the task prefers to run.
    case task(UnownedJob, any TaskExecutor)
    /// A call of the executor's own.
    case call(@Sendable () -> Void)
}

/// Work in the order it was given, and the executor it was given to.
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

    /// Runs everything and becomes empty; the memory is kept for the next round.
    package mutating func run() {
        for item in work {
            switch item {
            case .call(let body): body()
            case .job(let job):
                // A job never comes without its executor.
                if let executor { unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
            case .task(let job, let tasks): unsafe job.runSynchronously(on: tasks.asUnownedTaskExecutor())
            }
        }
        work.removeAll(keepingCapacity: true)
        executor = nil
    }
}
