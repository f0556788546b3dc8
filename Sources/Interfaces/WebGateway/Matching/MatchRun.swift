internal import CaptureModel
internal import RigDocuments
internal import RigMatching

internal import class PosixSupport.Locked

/// A run that matches or locks cameras, as it is known so far. It goes on whether or not anybody waits for it.
final class MatchRun: Sendable {
    private struct State {
        var report: MatchReport
        var isCancelled = false
        /// `CLOCK_REALTIME` in nanoseconds; nil while it is under way.
        var ended: Int64?
        var task: Task<Void, Never>?
        var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastWaiter = 0
    }

    let id: MatchRunID
    private let principal: String
    private let began: Int64
    private let state: Locked<State>

    /// - Parameter began: `CLOCK_REALTIME` in nanoseconds.
    init(_ id: MatchRunID, _ request: MatchRequest, by principal: String, at began: Int64) {
        self.id = id
        self.principal = principal
        self.began = began
        state = Locked(State(report: MatchReport(request)))
    }

    /// Begins the work. Call it once.
    /// - Parameters:
    ///   - time: Says when it has ended.
    ///   - work: Tells what is known so far, and returns what is known at the end.
    ///   - ended: Called at the end, before anybody else is told.
    func begin(
        _ time: any TimeSource,
        _ work: @escaping @Sendable (@escaping @Sendable (MatchReport) -> Void) async -> MatchReport,
        ended: @escaping @Sendable (MatchReport) -> Void
    ) {
        // The task finds its lock taken until it is known, so that whoever cancels finds it.
        state.withLock { state in
            // Unstructured: a browser that goes away does not end it.
            state.task = Task {
                let report = await work { report in self.state.withLock { $0.report = report } }
                ended(report)
                let waiters = self.state.withLock { state in
                    state.report = report
                    state.ended = time.wallClockPair().realtimeNanoseconds
                    state.task = nil
                    return state.waiters.values
                }
                for waiter in waiters { waiter.finish() }
            }
        }
    }

    var document: MatchRunDocument {
        state.withLock { state in
            let word: MatchRunDocument.State =
                switch (state.ended == nil, state.isCancelled) {
                case (true, false): .underWay
                case (true, true): .cancelling
                case (false, true): .cancelled
                case (false, false): .ended
                }
            return MatchRunDocument(
                run: id.description, word, by: principal, began: began, ended: state.ended, state.report)
        }
    }

    /// Ends it soon, with an outcome for every camera. What is being set is waited for. One that has ended stays as it is.
    func cancel() {
        state.withLock { state in
            guard state.ended == nil else { return }
            state.isCancelled = true
            state.task?.cancel()
        }
    }

    /// Returns when it has ended, or the time is over.
    func wait(within limit: Duration, _ time: any TimeSource) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let waiter = state.withLock { state -> Int? in
            guard state.ended == nil else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = end
            return state.lastWaiter
        }
        guard let waiter else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in ends {} }
            group.addTask { try? await time.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        state.withLock { $0.waiters[waiter] = nil }
    }
}
