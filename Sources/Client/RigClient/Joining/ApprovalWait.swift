internal import CaptureModel
internal import RigSecurity
internal import RigWire

/// Decides when a machine that waits for the approval of an admin asks again.
///
/// | the coordinator | before it has let the machine wait | afterwards |
/// |---|---|---|
/// | lets it wait | ask again after the pause that it gives | the same |
/// | admits or refuses it | the end | the end |
/// | refuses it for a while | ask again after that | the same |
/// | does not answer, or another program does | the end | ask again: it may be starting, and has forgotten the request |
struct ApprovalWait {
    enum Step {
        case askAgain(after: Duration)
        case admitted(JoinAdmission, JoinEndpoint)
        case failed(JoinError)
    }

    /// The pause where the coordinator gives none.
    static let pause = Duration.seconds(10)

    /// When the machine stops waiting.
    let deadline: LocalTime
    private(set) var isWaiting = false

    init(until deadline: LocalTime) {
        self.deadline = deadline
    }

    mutating func note(_ answer: Result<JoinOutcome, JoinError>, at now: LocalTime) -> Step {
        switch answer {
        case .success(.admitted(let admission, let endpoint)): return .admitted(admission, endpoint)
        case .success(.waiting(let pause)):
            isWaiting = true
            return askAgain(after: pause, at: now)
        case .failure(let error):
            if let pause = error.retryAfter { return askAgain(after: pause, at: now) }
            switch error.code {
            case .noCoordinator, .wrongCoordinator:
                return isWaiting ? askAgain(after: Self.pause, at: now) : .failed(error)
            case .refused, .wrongChannel, .notApproved, .malformedReply: return .failed(error)
            }
        }
    }

    private func askAgain(after pause: Duration, at now: LocalTime) -> Step {
        guard now < deadline else {
            return .failed(
                JoinError(
                    .notApproved,
                    "no admin has approved this machine in time; run the command again to ask again, and on the "
                        + "coordinator: capctl keys approve"))
        }
        return .askAgain(after: min(pause, deadline - now))
    }
}
