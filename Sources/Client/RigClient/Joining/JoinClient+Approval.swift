public import CaptureModel
public import RigSecurity
public import RigWire
public import ZeroMQ

extension JoinClient {
    /// Asks a coordinator to admit a key by the approval of an admin, until there is an answer.
    /// - Parameters:
    ///   - endpoint: The coordinator's join channel.
    ///   - patience: How long the admin may take.
    ///   - waiting: Called once, when the coordinator has taken the request.
    /// - Throws: ``JoinError``; `CancellationError`.
    public func requestApproval(
        as name: KeyName, _ role: Role, at endpoint: JoinEndpoint, coordinator: PublicKey, keys: CurveKeyPair,
        within patience: Duration, waiting: () -> Void
    ) async throws -> (JoinAdmission, JoinEndpoint) {
        var wait = ApprovalWait(until: time.now() + patience)
        while true {
            let hasWaited = wait.isWaiting
            let answer: Result<JoinOutcome, JoinError>
            do {
                answer = .success(
                    try await join(.approval(name, role), at: [endpoint], coordinator: coordinator, keys: keys))
            } catch {
                answer = .failure(error)
            }
            switch wait.note(answer, at: time.now()) {
            case .askAgain(let pause):
                if wait.isWaiting, !hasWaited { waiting() }
                try await time.sleep(for: pause)
            case .admitted(let admission, let endpoint): return (admission, endpoint)
            case .failed(let error): throw error
            }
        }
    }
}
