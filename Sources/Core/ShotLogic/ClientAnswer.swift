import CaptureModel

/// What the clients that wait for a shot are told in the end: one answer, or that the shot is given up.
struct ClientAnswer: Sendable {
    private var answered: Shot?
    private var refusal: RigProblem?
    private var hasTimedOut = false
    private var timeout: RigTime?

    /// - Parameters:
    ///   - answered: The answer, if an earlier run has given it.
    ///   - timeout: When the clients stop waiting; nil if they wait until the shot is settled.
    init(answered: Shot? = nil, timeout: RigTime?) {
        self.answered = answered
        self.timeout = timeout
    }

    /// The answer; nil before it.
    var shot: Shot? { answered }
    /// Why the shot was given up.
    var problem: RigProblem? { refusal }
    /// When the clients stop waiting.
    var deadline: RigTime? { timeout }
    /// Whether the deadline has passed unanswered.
    var isOverdue: Bool { hasTimedOut }
    var nextDeadline: RigTime? { answered == nil && !hasTimedOut ? timeout : nil }

    /// A client waits until this instant. No effect if there is a deadline already.
    mutating func isAwaited(until deadline: RigTime) {
        if timeout == nil { timeout = deadline }
    }

    /// Lets time pass.
    /// - Returns: Whether the deadline passes unanswered with this call.
    mutating func timesOut(at now: RigTime) -> Bool {
        guard let nextDeadline, nextDeadline <= now else { return false }
        hasTimedOut = true
        return true
    }

    /// Answers with a shot, unless there was an answer.
    mutating func answer(_ shot: Shot) {
        if answered == nil { answered = shot }
    }

    /// Refuses the clients that wait. A later client may still get an answer.
    mutating func giveUp(_ problem: RigProblem) {
        refusal = problem
    }
}
