import CaptureModel
import RigSecurity
import RigWire
import Testing

@testable import RigClient

/// What a machine does after each answer while it waits for an admin.
@Suite struct ApprovalWaitTests {
    private let start = LocalTime(nanoseconds: 5_000_000_000)
    private let silence = JoinError(.noCoordinator, "nothing answers")

    private func wait() -> ApprovalWait { ApprovalWait(until: start + .seconds(60)) }

    private func pause(_ step: ApprovalWait.Step) -> Duration? {
        if case .askAgain(let pause) = step { pause } else { nil }
    }

    private func failure(_ step: ApprovalWait.Step) -> JoinError.Code? {
        if case .failed(let error) = step { error.code } else { nil }
    }

    @Test func `Asks again after the pause that the coordinator gives`() {
        var wait = wait()
        #expect(pause(wait.note(.success(.waiting(.seconds(7))), at: start)) == .seconds(7))
        let busy = JoinError(.refused("tooManyAttempts"), "wait", retryAfter: .seconds(3))
        #expect(pause(wait.note(.failure(busy), at: start)) == .seconds(3))
    }

    @Test func `Ends with the admission`() throws {
        var wait = wait()
        let admission = JoinAdmission(
            name: try KeyName("left-arm"), role: .node, rig: try RigName("studio"), controlPort: 7710, clientPort: 7713)
        let endpoint = try JoinEndpoint("pi4:7715")
        guard
            case .admitted(admission, endpoint) = wait.note(
                .success(.admitted(admission, endpoint: endpoint)), at: start)
        else {
            Issue.record("not admitted")
            return
        }
    }

    @Test(arguments: ["declined", "revoked", "nameTaken"])
    func `Ends with a refusal`(code: String) {
        var wait = wait()
        _ = wait.note(.success(.waiting(.seconds(7))), at: start)
        #expect(failure(wait.note(.failure(JoinError(.refused(code), "no")), at: start)) == .refused(code))
    }

    @Test func `Where nothing answers at first, it ends at once`() {
        var wait = wait()
        #expect(failure(wait.note(.failure(silence), at: start)) == .noCoordinator)
    }

    @Test func `A coordinator that is started again during the wait is asked again`() {
        var wait = wait()
        _ = wait.note(.success(.waiting(.seconds(7))), at: start)
        #expect(pause(wait.note(.failure(silence), at: start)) == ApprovalWait.pause)
        let other = JoinError(.wrongCoordinator, "another program")
        #expect(pause(wait.note(.failure(other), at: start)) == ApprovalWait.pause)
    }

    @Test func `Asks a last time at the end of its patience, and then ends`() {
        var wait = wait()
        let late = start + .seconds(58)
        #expect(pause(wait.note(.success(.waiting(.seconds(7))), at: late)) == .seconds(2))
        #expect(failure(wait.note(.success(.waiting(.seconds(7))), at: late + .seconds(2))) == .notApproved)
    }
}
