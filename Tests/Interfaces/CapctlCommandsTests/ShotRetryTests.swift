import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing

@testable import CapctlCommands
@testable import RigClient

/// `capctl trigger --on-excess retry`.
@Suite struct ShotRetryTests {
    private enum Outcome {
        case exceeding, good
        case refused(RigProblem.Code)
    }

    /// The shots that are taken of which these would be the outcomes, the notes, and what the last one is.
    private func run(_ outcomes: [Outcome]) async throws -> (
        shots: [TriggerRequest], notes: [String], pause: Duration, last: Result<LocatedShot, RigClientError>
    ) {
        let (notes, clock) = (Locked<[String]>([]), SteppingClock())
        let console = Console(write: { _ in }, note: { note in notes.withLock { $0.append(note) } }, isTerminal: false)
        let sample = try SampleShot().shot
        let request = TriggerRequest(shot: sample.id, request: sample.request)
        var shots: [TriggerRequest] = []
        let start = clock.now()
        let last: Result<LocatedShot, RigClientError>
        do {
            let document = try await ShotRetry(time: clock, console: console).run(request) { request in
                shots.append(request)
                var shot = sample
                shot.id = request.shot
                switch outcomes[shots.count - 1] {
                case .good: break
                case .exceeding: shot.captures[0].exceeds = [.maxSkew]
                case .refused(let code):
                    throw RigClientError(
                        .refused(code.rawValue), operation: "trigger", endpoint: "", cause: "n1/cam1: why")
                }
                return LocatedShot(shot: shot, folder: "shot", library: "/library")
            }
            last = .success(document)
        } catch let error as RigClientError {
            last = .failure(error)
        }
        return (shots, notes.withLock { $0 }, clock.now() - start, last)
    }

    @Test func `A shot that keeps its limits is the only one`() async throws {
        let result = try await run([.good])
        #expect(result.shots.count == 1 && result.notes.isEmpty)
        #expect(try result.last.get().shot.id == result.shots[0].shot)
    }

    @Test func `Further shots have their own ids and are what was asked for, and the last one is the result`()
        async throws
    {
        let result = try await run([.exceeding, .refused(.limitsExceeded), .good])
        #expect(Set(result.shots.map(\.shot)).count == 3 && Set(result.shots.map(\.request)).count == 1)
        #expect(try result.last.get().shot.id == result.shots[2].shot)
        #expect(result.pause > .seconds(2) && result.pause < .milliseconds(2001))
        #expect(
            result.notes == [
                "capctl: shot \(result.shots[0].shot) exceeds its limits, and says so in its manifest; attempt 2 of 3 follows\n",
                "capctl: n1/cam1: why; attempt 3 of 3 follows\n",
            ])
    }

    @Test func `Three shots are the most, and the result of the last one counts`() async throws {
        let marked = try await run([.exceeding, .exceeding, .exceeding])
        #expect(marked.shots.count == 3)
        #expect(CommandStatus(of: try marked.last.get().shot) != .complete)
        let refused = try await run([.refused(.limitsExceeded), .refused(.limitsExceeded), .refused(.limitsExceeded)])
        #expect(refused.shots.count == 3 && refused.notes.count == 2)
        #expect(throws: RigClientError.self) { try refused.last.get() }
    }

    @Test func `A shot that is refused for another reason is not tried again`() async throws {
        let result = try await run([.refused(.tooFarAhead)])
        #expect(result.shots.count == 1 && result.notes.isEmpty)
        #expect(throws: RigClientError.self) { try result.last.get() }
    }
}
