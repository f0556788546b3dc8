/// Work in the order it was given, and the executor it was given to.
struct WorkBatch: Sendable {
    private(set) var work: [Work] = []
    /// Keeps the executor alive until its jobs have run: a job may drop the last other reference.
    private(set) var executor: SocketExecutor?

    var isEmpty: Bool { work.isEmpty }

    mutating func append(_ item: Work, for executor: SocketExecutor?) {
        work.append(item)
        if let executor { self.executor = executor }
    }

    /// Runs everything and becomes empty; the memory is kept for the next round.
    mutating func run() {
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
