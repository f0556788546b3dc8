internal import CPosix
public import CaptureModel
internal import Glibc
internal import PosixSupport

/// The path of a connection's messages to its socket, where a test can drop, duplicate or reorder them.
///
/// `Message` is the input of the socket, including the peer if the socket has several.
public final class SendLane<Message: Sendable>: Sendable {
    private let held = Locked<[Message]>([])

    public init() {}

    /// Passes a message to `send`, or what a fault replaces it with.
    /// - Returns: The result of the last call of `send`; nil if it was not called.
    public func pass<Point: SendFaultPoint, Outcome>(
        _ message: Message, at point: @autoclosure () -> Point, _ send: (Message) async -> Outcome
    ) async -> Outcome? {
        guard Faults.areArmed else { return await send(message) }
        var outcome: Outcome?
        for message in next(message, after: await Faults.strikeTask(point().rawValue)) { outcome = await send(message) }
        return outcome
    }

    /// Does the same on a thread, which a delay blocks.
    public func passAtOnce<Point: SendFaultPoint, Outcome>(
        _ message: Message, at point: @autoclosure () -> Point, _ send: (Message) -> Outcome
    ) -> Outcome? {
        guard Faults.areArmed else { return send(message) }
        var outcome: Outcome?
        for message in next(message, after: Faults.strikeBlocking(point().rawValue)) { outcome = send(message) }
        return outcome
    }

    /// Returns the messages to send in place of `message`, in order.
    private func next(_ message: Message, after action: FaultAction?) -> [Message] {
        held.withLock { held in
            switch action {
            case .drop:
                return []
            case .hold:
                held.append(message)
                return []
            default:
                defer { held = [] }
                return (action == .duplicate ? [message, message] : [message]) + held
            }
        }
    }
}

/// The armed rules, and the number of passes of each point. The same plan strikes at the same passes in every run.
///
/// A value without clock, signals or files.
struct FaultPlan: Sendable {
    private struct ArmedRule: Sendable {
        let rule: FaultRule
        var strikes: UInt64 = 0
        var dice: SplitMix64

        init(_ rule: FaultRule) {
            self.rule = rule
            dice = SplitMix64(seed: rule.seed)
        }

        mutating func strikes(at hit: UInt64) -> Bool {
            guard hit >= rule.firstHit, rule.times.map({ strikes < $0 }) ?? true, dice.fraction() < rule.probability
            else {
                return false
            }
            strikes += 1
            return true
        }
    }

    private var rules: [String: [ArmedRule]] = [:]
    private var hits: [String: UInt64] = [:]

    init(_ rules: [FaultRule]) {
        for rule in rules { self.rules[rule.point, default: []].append(ArmedRule(rule)) }
    }

    /// Counts a pass of a point.
    /// - Returns: The number of passes, and the action of the first rule that strikes.
    mutating func hit(_ point: String) -> (count: UInt64, action: FaultAction?) {
        let count = (hits[point] ?? 0) + 1
        hits[point] = count
        for index in rules[point, default: []].indices where rules[point]?[index].strikes(at: count) == true {
            return (count, rules[point]?[index].rule.action)
        }
        return (count, nil)
    }
}

/// The faults that a test has armed in this process. A process has one set.
public enum Faults {
    private struct State: Sendable {
        var plan: FaultPlan
        let report: FaultReport?
        let clock: any TimeSource
        /// Blocks the calling thread.
        let pause: @Sendable (Duration) -> Void
    }

    private static let state = Locked<State?>(nil)
    /// Longer than any process runs.
    private static let ever = Duration.seconds(1 << 31)

    /// Whether any faults are armed. If not, a point costs only this relaxed load.
    public static var areArmed: Bool { caprig_faults_are_armed() }

    /// Arms faults. Call it before creating anything that has points.
    /// - Parameters:
    ///   - report: Records points reached and faults that struck.
    ///   - clock: The clock of delays in tasks.
    ///   - pause: Delays threads.
    public static func arm(
        _ rules: [FaultRule], report: FaultReport? = nil, clock: any TimeSource,
        pause: @escaping @Sendable (Duration) -> Void = Faults.block
    ) {
        state.withLock { $0 = State(plan: FaultPlan(rules), report: report, clock: clock, pause: pause) }
        caprig_arm_faults(true)
    }

    /// Disarms all faults.
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

    /// Performs the action at a point before a step of file work.
    /// - Returns: The errno with which the step fails.
    static func strikeThread(_ point: String) -> CInt? {
        guard case .fail(let code) = strikeBlocking(point) else { return nil }
        return code
    }

    /// Performs the action at a point on a thread that may block.
    /// - Returns: The action that is left to the caller.
    static func strikeBlocking(_ point: String) -> FaultAction? {
        guard let (action, state) = strike(point) else { return nil }
        switch action {
        case .delay(let duration): state.pause(duration)
        case .hang: state.pause(ever)
        case .crash, .stop, .fail, .drop, .duplicate, .hold: return action
        }
        return nil
    }

    /// Performs the action at a point in a task.
    /// - Returns: The action that is left to the caller.
    static func strikeTask(_ point: String) async -> FaultAction? {
        guard let (action, state) = strike(point) else { return nil }
        // A task that is cancelled while it waits continues.
        switch action {
        case .delay(let duration): try? await state.clock.sleep(for: duration)
        case .hang: try? await state.clock.sleep(for: ever)
        case .crash, .stop, .fail, .drop, .duplicate, .hold: return action
        }
        return nil
    }

    /// Counts a pass of a point. A crash or a stop happens here.
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

    /// Sends a signal to this process. SIGKILL ends it before this returns. SIGSTOP stops it, and this returns when it is continued.
    private static func signalSelf(_ signal: CInt) {
        kill(getpid(), signal)
    }
}
