import CaptureModel

/// Whether this agent is part of the rig, and its next message to join or to stay joined.
///
/// ```
///              welcome                        silence for `timeout`, helloRequired, other epoch
///  greeting ───────────▶ joined ─────────────────────────────────────────────────▶ greeting
///     │  ▲ every retry: hello
///     ▼  │
///  refused: hello again after `refusalPause`
/// ```
///
/// A value without a clock or a socket.
struct Membership: Sendable {
    static let helloRetry = Duration.milliseconds(500)
    static let refusalPause = Duration.seconds(3)

    enum State: Hashable, Sendable {
        /// Sends hello until it is answered.
        case greeting
        /// A member. Heartbeats are exchanged with this coordinator epoch.
        case joined(Epoch)
        /// Refused. Asks again at intervals, because a cloned node may leave.
        case refused(RigProblem)
    }

    /// A message to send.
    enum Action: Hashable, Sendable {
        case hello
        case heartbeat(UInt64)
    }

    /// The effects of the passing of time.
    struct Tick: Hashable, Sendable {
        /// Whether to report that the coordinator has been silent for too long. A member leaves it. An agent whose
        /// hellos are not answered reports this once.
        var isUnreachable: Bool
        /// Whether nothing has arrived on the connection for too long, so that the agent must connect again.
        var isSilent = false
        var action: Action?
    }

    private(set) var state = State.greeting
    private var heartbeatInterval = Duration.milliseconds(500)
    private var heartbeatTimeout = Duration.seconds(2)
    private var heartbeats: UInt64 = 0
    private var due: LocalTime
    /// When the coordinator last sent something, or when the agent began to wait for its answer.
    private var lastHeard: LocalTime
    /// Whether the agent has reported, after the last answer, that the coordinator does not answer.
    private var isUnreachableTold = false
    /// Whether hellos are answered. ``lastHeard`` covers heartbeats.
    private var silence = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))

    init(at now: LocalTime) {
        due = now
        lastHeard = now
    }

    /// The coordinator that this agent has joined; nil if it has joined none.
    var coordinator: Epoch? {
        switch state {
        case .joined(let epoch): epoch
        case .greeting, .refused: nil
        }
    }

    /// The instant at which ``tick(at:)`` is to be called next.
    var nextTick: LocalTime {
        min(due, coordinator == nil ? silence.deadline ?? due : lastHeard + heartbeatTimeout)
    }

    /// Applies the passing of time.
    mutating func tick(at now: LocalTime) -> Tick {
        let isOverdue = now >= lastHeard + heartbeatTimeout
        let hasLeft = coordinator != nil && isOverdue
        if hasLeft { leave(at: now) }
        let isUnreachable = state == .greeting && isOverdue && !isUnreachableTold
        if isUnreachable { isUnreachableTold = true }
        let isSilent = silence.checkSilence(at: now) || hasLeft
        return Tick(isUnreachable: isUnreachable, isSilent: isSilent, action: now >= due ? act(at: now) : nil)
    }

    /// Notes that a hello was sent on a connection.
    mutating func helloSent(at now: LocalTime) {
        if coordinator == nil { silence.asked(at: now) }
    }

    /// Notes that a connection was made. A hello that is due need not wait for the next retry.
    mutating func connected(at now: LocalTime) {
        if state == .greeting { due = now }
    }

    /// Notes that something arrived on the connection, from any run of a coordinator.
    mutating func noticedLife() {
        silence.heard()
    }

    private mutating func act(at now: LocalTime) -> Action {
        switch state {
        case .joined:
            due = now + heartbeatInterval
            heartbeats += 1
            return .heartbeat(heartbeats)
        case .greeting, .refused:
            // After a refusal, the wait for an answer starts here.
            if state != .greeting { lastHeard = now }
            state = .greeting
            due = now + Self.helloRetry
            return .hello
        }
    }

    mutating func welcomed(by epoch: Epoch, interval: Duration, timeout: Duration, at now: LocalTime) {
        state = .joined(epoch)
        heartbeatInterval = interval
        heartbeatTimeout = timeout
        noteAnswer(at: now)
        due = now
    }

    mutating func refused(_ problem: RigProblem, at now: LocalTime) {
        state = .refused(problem)
        noteAnswer(at: now)
        due = now + Self.refusalPause
    }

    /// Handles the coordinator's request for a hello, because it does not know this connection.
    mutating func helloRequired(at now: LocalTime) {
        if coordinator != nil { noteAnswer(at: now) }
        leave(at: now)
    }

    /// Notes a message of the coordinator's `epoch`.
    /// - Returns: false if it is not from the coordinator that this agent has joined, so that it is to be dropped.
    mutating func heard(from epoch: Epoch, at now: LocalTime) -> Bool {
        guard coordinator == epoch else { return false }
        noteAnswer(at: now)
        return true
    }

    private mutating func noteAnswer(at now: LocalTime) {
        lastHeard = now
        isUnreachableTold = false
    }

    private mutating func leave(at now: LocalTime) {
        guard coordinator != nil else { return }
        state = .greeting
        due = now
    }
}
