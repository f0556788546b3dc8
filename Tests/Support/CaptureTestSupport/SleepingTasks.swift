import CaptureModel

/// Who waits for which instant of a ``ManualTimeSource``. It resumes nobody itself: that is done outside the lock.
struct SleepingTasks {
    private(set) var now: LocalTime
    /// `CLOCK_REALTIME` minus the monotonic clock.
    var realtimeOffset: Int64
    /// How long the machine has slept.
    var timeSlept = Duration.zero
    private var nextTicket: UInt64 = 0
    private var sleepers: [Sleeper] = []
    private var cancelled: Set<UInt64> = []
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    struct Sleeper {
        let ticket: UInt64
        let deadline: LocalTime
        let continuation: CheckedContinuation<Void, any Error>
    }

    init(now: LocalTime, realtimeNanoseconds: Int64) {
        self.now = now
        realtimeOffset = realtimeNanoseconds - now.nanoseconds
    }

    var pair: WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now, realtimeNanoseconds: now.nanoseconds + realtimeOffset)
    }

    mutating func makeTicket() -> UInt64 {
        nextTicket += 1
        return nextTicket
    }

    /// What became of a task that wants to sleep.
    enum Entry {
        case cancelled
        case due
        /// It sleeps; these were waiting for that.
        case asleep(seenBy: [CheckedContinuation<Void, Never>])
    }

    mutating func enter(
        _ ticket: UInt64, _ deadline: LocalTime, _ continuation: CheckedContinuation<Void, any Error>
    ) -> Entry {
        guard cancelled.remove(ticket) == nil else { return .cancelled }
        guard deadline > now else { return .due }
        let place = sleepers.firstIndex { $0.deadline > deadline } ?? sleepers.endIndex
        sleepers.insert(Sleeper(ticket: ticket, deadline: deadline, continuation: continuation), at: place)
        let satisfied = watchers.filter { $0.count <= sleepers.count }
        watchers.removeAll { $0.count <= sleepers.count }
        return .asleep(seenBy: satisfied.map(\.continuation))
    }

    /// - Returns: Whom to tell of the cancellation; nil where the task is not asleep yet, or not any more.
    mutating func cancel(_ ticket: UInt64) -> CheckedContinuation<Void, any Error>? {
        guard let place = sleepers.firstIndex(where: { $0.ticket == ticket }) else {
            cancelled.insert(ticket)
            return nil
        }
        return sleepers.remove(at: place).continuation
    }

    /// The task of this ticket sleeps no more.
    mutating func forget(_ ticket: UInt64) {
        cancelled.remove(ticket)
    }

    /// Takes out the next sleeper due until `limit` (nil: whenever) and moves the clock to its deadline; without one, moves
    /// the clock to `limit`.
    mutating func next(until limit: LocalTime?) -> CheckedContinuation<Void, any Error>? {
        guard let first = sleepers.first, limit.map({ first.deadline <= $0 }) ?? true else {
            now = max(now, limit ?? now)
            return nil
        }
        now = max(now, first.deadline)
        return sleepers.removeFirst().continuation
    }

    /// - Returns: Whether so many sleep already; otherwise `continuation` is kept.
    mutating func watch(_ count: Int, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
        guard sleepers.count < count else { return true }
        watchers.append((count, continuation))
        return false
    }
}
