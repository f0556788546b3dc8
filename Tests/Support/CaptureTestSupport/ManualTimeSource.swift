public import CaptureModel
import PosixSupport

/// A clock that stands still until a test moves it, so that hours pass in milliseconds and every run is the same.
///
/// Sleepers wake in the order of their deadlines, equal ones in the order in which they went to sleep; each finds the
/// clock at its own deadline. A woken task runs concurrently with the test: wait for what it does, or for it to sleep again
/// by ``sleepers(atLeast:)``, before moving on.
public final class ManualTimeSource: TimeSource {
    private let bed: Locked<SleepingTasks>

    /// - Parameters:
    ///   - start: What the monotonic clock reads at first.
    ///   - realtimeNanoseconds: What `CLOCK_REALTIME` reads at that instant, since 1970.
    public init(
        start: LocalTime = LocalTime(nanoseconds: 1_000_000_000_000),
        realtimeNanoseconds: Int64 = 1_800_000_000_000_000_000
    ) {
        bed = Locked(SleepingTasks(now: start, realtimeNanoseconds: realtimeNanoseconds))
    }

    public func now() -> LocalTime {
        bed.withLock { $0.now }
    }

    public func wallClockPair() -> WallClockPair<LocalTimeBase> {
        bed.withLock { $0.pair }
    }

    public func sleep(until deadline: LocalTime) async throws {
        let ticket = bed.withLock { $0.makeTicket() }
        defer { bed.withLock { $0.forget(ticket) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(ticket, deadline, $0) }
        } onCancel: {
            bed.withLock { $0.cancel(ticket) }?.resume(throwing: CancellationError())
        }
    }

    private func enter(_ ticket: UInt64, _ deadline: LocalTime, _ continuation: CheckedContinuation<Void, any Error>) {
        switch bed.withLock({ $0.enter(ticket, deadline, continuation) }) {
        case .cancelled: continuation.resume(throwing: CancellationError())
        case .due: continuation.resume()
        case .asleep(let watchers): watchers.forEach { $0.resume() }
        }
    }

    /// Sets the wall clock, as NTP or a person steps it; the monotonic clock is untouched.
    public func stepWallClock(by duration: Duration) {
        bed.withLock { $0.realtimeOffset += duration.nanoseconds }
    }

    /// Lets the machine sleep: the wall clock goes on, the monotonic clock and everybody who waits on it do not.
    public func suspendMachine(for duration: Duration) {
        bed.withLock { bed in
            bed.timeSlept += duration
            bed.realtimeOffset += duration.nanoseconds
        }
    }

    public func timeSlept() -> Duration {
        bed.withLock { $0.timeSlept }
    }

    /// Moves the clock to `instant`, waking everyone due on the way. Nothing happens if it has passed already.
    public func advance(to instant: LocalTime) {
        while wakeNext(until: instant) {}
    }

    /// Moves the clock on by `duration`, waking everyone due on the way.
    public func advance(by duration: Duration) {
        advance(to: now() + duration)
    }

    /// Moves the clock on by `duration` at once, then wakes everyone who is due: all of them late, as in a process that did not run.
    public func leap(by duration: Duration) {
        bed.withLock { $0.leap(by: duration) }
        advance(to: now())
    }

    /// Moves the clock on by `duration`, waking everyone due on the way.
    /// - Returns: How many were woken.
    public func wakeSleepers(within duration: Duration) -> Int {
        let end = now() + duration
        var woken = 0
        while wakeNext(until: end) { woken += 1 }
        return woken
    }

    /// Returns when this many tasks are asleep, or the calling task is cancelled, as it is when a test reaches its time limit.
    public func sleepers(atLeast count: Int) async {
        await sleepers { $0.count >= count }
    }

    /// Returns when a task sleeps until exactly this instant, or the calling task is cancelled.
    public func sleeper(until deadline: LocalTime) async {
        await sleepers { $0.contains(deadline) }
    }

    /// Returns when a task sleeps until this instant or later, or the calling task is cancelled.
    public func sleeper(notBefore instant: LocalTime) async {
        await sleepers { $0.last.map { $0 >= instant } ?? false }
    }

    /// Returns when the deadlines of those who are asleep fulfill a condition, or the calling task is cancelled.
    private func sleepers(_ isMet: @escaping @Sendable ([LocalTime]) -> Bool) async {
        let ticket = bed.withLock { $0.makeTicket() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = bed.withLock { Task.isCancelled || $0.watch(isMet, ticket, continuation) }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            bed.withLock { $0.stopWatching(ticket) }?.resume()
        }
    }

    /// Waits until this many tasks are asleep, then moves the clock to the first deadline and wakes that one sleeper.
    /// - Returns: The instant moved to.
    @discardableResult
    public func step(sleepers count: Int = 1) async -> LocalTime {
        await sleepers(atLeast: count)
        bed.withLock { $0.next(until: nil) }?.resume()
        return now()
    }

    /// Moves the clock to `instant` one sleeper at a time, each time waiting until this many tasks are asleep again: as
    /// many as sleep all the time, so that every task does all it does before the next one wakes.
    public func run(until instant: LocalTime, sleepers count: Int = 1) async {
        repeat {
            await sleepers(atLeast: count)
        } while !Task.isCancelled && wakeNext(until: instant)
    }

    private func wakeNext(until instant: LocalTime) -> Bool {
        guard let sleeper = bed.withLock({ $0.next(until: instant) }) else { return false }
        sleeper.resume()
        return true
    }
}

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
    private var watchers: [Watcher] = []

    struct Sleeper {
        let ticket: UInt64
        let deadline: LocalTime
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// Who waits until the deadlines of the sleepers fulfill a condition.
    private struct Watcher {
        let isMet: @Sendable ([LocalTime]) -> Bool
        let ticket: UInt64
        let continuation: CheckedContinuation<Void, Never>
    }

    init(now: LocalTime, realtimeNanoseconds: Int64) {
        self.now = now
        realtimeOffset = realtimeNanoseconds - now.nanoseconds
    }

    var pair: WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now, realtimeNanoseconds: now.nanoseconds + realtimeOffset)
    }

    mutating func leap(by duration: Duration) {
        now = now + duration
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
        guard !watchers.isEmpty else { return .asleep(seenBy: []) }
        let deadlines = sleepers.map(\.deadline)
        let satisfied = watchers.filter { $0.isMet(deadlines) }
        watchers.removeAll { $0.isMet(deadlines) }
        return .asleep(seenBy: satisfied.map(\.continuation))
    }

    /// - Returns: Whom to tell of the cancellation; nil where the task is not asleep yet, or no longer.
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

    /// - Returns: Whether the deadlines fulfill the condition already; otherwise `continuation` is kept.
    mutating func watch(
        _ isMet: @escaping @Sendable ([LocalTime]) -> Bool, _ ticket: UInt64,
        _ continuation: CheckedContinuation<Void, Never>
    ) -> Bool {
        guard !isMet(sleepers.map(\.deadline)) else { return true }
        watchers.append(Watcher(isMet: isMet, ticket: ticket, continuation: continuation))
        return false
    }

    /// - Returns: The continuation of the watcher; nil if it watches no more.
    mutating func stopWatching(_ ticket: UInt64) -> CheckedContinuation<Void, Never>? {
        watchers.firstIndex { $0.ticket == ticket }.map { watchers.remove(at: $0).continuation }
    }
}
