import CaptureModel

/// Whether this agent is part of the rig, and what it says next to become or stay one.
///
/// ```
///              welcome                        silence for `timeout`, helloRequired, other epoch
///  greeting ───────────▶ joined ─────────────────────────────────────────────────▶ greeting
///     │  ▲ every retry: hello
///     ▼  │
///  refused: hello again after `refusalPause`
/// ```
///
/// A value without clock or socket.
struct Membership: Sendable {
    static let helloRetry = Duration.milliseconds(500)
    static let refusalPause = Duration.seconds(3)

    enum State: Hashable, Sendable {
        /// Saying hello until it is answered.
        case greeting
        /// A member; heartbeats are exchanged with this coordinator epoch.
        case joined(Epoch)
        /// Told not to join; asking again from time to time, since a cloned node may go away.
        case refused(CaptureProblem)
    }

    /// What is to be said.
    enum Action: Hashable, Sendable {
        case hello
        case heartbeat(UInt64)
    }

    /// What the passing of time brings.
    struct Tick: Hashable, Sendable {
        /// The coordinator has been silent for too long: a member gives it up, and who says hello in vain says so once.
        var isUnreachable: Bool
        /// Nothing has come on the connection for too long: it is to be made anew.
        var isSilent = false
        var action: Action?
    }

    private(set) var state = State.greeting
    private var heartbeatInterval = Duration.milliseconds(500)
    private var heartbeatTimeout = Duration.seconds(2)
    private var heartbeats: UInt64 = 0
    private var due: LocalTime
    /// When the coordinator last spoke, or an answer of it began to be awaited.
    private var lastHeard: LocalTime
    /// Whether it was told that the coordinator does not answer, since it last did.
    private var isUnreachableTold = false
    /// Whether hellos are answered; heartbeats are looked after by ``lastHeard``.
    private var silence = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))

    init(at now: LocalTime) {
        due = now
        lastHeard = now
    }

    /// The coordinator this agent belongs to; nil while it does not.
    var coordinator: Epoch? {
        switch state {
        case .joined(let epoch): epoch
        case .greeting, .refused: nil
        }
    }

    /// When ``tick(at:)`` is to be called next.
    var nextTick: LocalTime {
        min(due, coordinator == nil ? silence.deadline ?? due : lastHeard + heartbeatTimeout)
    }

    /// Lets time pass.
    mutating func tick(at now: LocalTime) -> Tick {
        let isOverdue = now >= lastHeard + heartbeatTimeout
        let hasLeft = coordinator != nil && isOverdue
        if hasLeft { leave(at: now) }
        let isUnreachable = state == .greeting && isOverdue && !isUnreachableTold
        if isUnreachable { isUnreachableTold = true }
        let isSilent = silence.takeSilence(at: now) || hasLeft
        return Tick(isUnreachable: isUnreachable, isSilent: isSilent, action: now >= due ? act(at: now) : nil)
    }

    /// A hello has left for a connection.
    mutating func helloSent(at now: LocalTime) {
        if coordinator == nil { silence.asked(at: now) }
    }

    /// A connection was made: a hello that is due need not wait for the next try.
    mutating func connected(at now: LocalTime) {
        if state == .greeting { due = now }
    }

    /// Something has come on the connection, from whatever life of a coordinator.
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
            // Of who was refused, the answer is awaited from here on.
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

    mutating func refused(_ problem: CaptureProblem, at now: LocalTime) {
        state = .refused(problem)
        noteAnswer(at: now)
        due = now + Self.refusalPause
    }

    /// The coordinator asks for a hello, since it does not know this connection.
    mutating func helloRequired(at now: LocalTime) {
        if coordinator != nil { noteAnswer(at: now) }
        leave(at: now)
    }

    /// Notes a message of the coordinator's `epoch`.
    /// - Returns: false when it is not from the coordinator this agent has joined, and is to be dropped.
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
