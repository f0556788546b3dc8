internal import CPosix
public import CaptureModel
internal import Glibc
internal import PosixSupport

/// The faults a test has asked this process for. A process has one set, as it has one life.
public enum Faults {
    private struct State: Sendable {
        var plan: FaultPlan
        let report: FaultReport?
        let clock: any TimeSource
        /// Blocks the calling thread.
        let pause: @Sendable (Duration) -> Void
    }

    private static let state = Locked<State?>(nil)
    /// Longer than any process lives.
    private static let ever = Duration.seconds(1 << 31)

    /// Whether any are asked for: a relaxed load, which is all that a point costs otherwise.
    public static var areArmed: Bool { caprig_faults_are_armed() }

    /// Asks for faults, from here on; call it before what has points is made.
    /// - Parameters:
    ///   - report: Told of points reached and faults that struck.
    ///   - clock: What tasks are delayed by.
    ///   - pause: What threads are delayed by.
    public static func arm(
        _ rules: [FaultRule], report: FaultReport? = nil, clock: any TimeSource,
        pause: @escaping @Sendable (Duration) -> Void = Faults.block
    ) {
        state.withLock { $0 = State(plan: FaultPlan(rules), report: report, clock: clock, pause: pause) }
        caprig_arm_faults(true)
    }

    /// Asks for none any more.
    public static func disarm() {
        caprig_arm_faults(false)
        state.withLock { $0 = nil }
    }

    /// Blocks the calling thread for `duration`.
    public static func block(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var asked = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var left = timespec()
        while unsafe nanosleep(&asked, &left) != 0, errno == EINTR { asked = left }
    }

    /// Lets happen what is to happen before a step of file work.
    /// - Returns: The errno with which the step fails.
    static func strikeThread(_ point: String) -> CInt? {
        guard case .fail(let code) = strikeBlocking(point) else { return nil }
        return code
    }

    /// Lets happen what is to happen on a thread that may block.
    /// - Returns: What is left to the caller to do.
    static func strikeBlocking(_ point: String) -> FaultAction? {
        guard let (action, state) = strike(point) else { return nil }
        switch action {
        case .delay(let duration): state.pause(duration)
        case .hang: state.pause(ever)
        case .crash, .stop, .fail, .drop, .duplicate, .hold: return action
        }
        return nil
    }

    /// Lets happen what is to happen in a task.
    /// - Returns: What is left to the caller to do.
    static func strikeTask(_ point: String) async -> FaultAction? {
        guard let (action, state) = strike(point) else { return nil }
        // A task that is cancelled meanwhile goes on.
        switch action {
        case .delay(let duration): try? await state.clock.sleep(for: duration)
        case .hang: try? await state.clock.sleep(for: ever)
        case .crash, .stop, .fail, .drop, .duplicate, .hold: return action
        }
        return nil
    }

    /// Notes that a point is reached. A crash or a stop happens here.
    private static func strike(_ point: String) -> (FaultAction, State)? {
        var hit: (count: UInt64, action: FaultAction?) = (0, nil)
        let now = state.withLock { state in
            if let found = state?.plan.hit(point) { hit = found }
            return state
        }
        guard let now else { return nil }
        if hit.count == 1 { now.report?.reached(point) }
        guard let action = hit.action else { return nil }
        now.report?.struck(point, action, hit.count)
        if action == .crash { signalSelf(SIGKILL) }
        if action == .stop { signalSelf(SIGSTOP) }
        return (action, now)
    }

    /// SIGKILL ends the process before this returns; SIGSTOP stops it, and it returns when somebody continues it.
    private static func signalSelf(_ signal: CInt) {
        kill(getpid(), signal)
    }
}
