import CaptureModel
import CaptureTestSupport
import Dispatch
import ShotLogic
import Testing

@testable import RigCore

/// Marks that are set in a take.
@Suite(.timeLimit(.minutes(1))) struct TakeMarkTests {
    @Test("While the library's disk hangs, marks wait without a bound, or one that is refused is set all the same")
    func hangingDisk() async throws {
        let (hangs, released) = (Observed(false), DispatchSemaphore(value: 0))
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder()) { _, _ in
            if hangs.value { released.wait() }
            return nil
        }
        hangs.change { $0 = true }
        let limit = ShotInProgress.watcherLimit
        func order(_ mark: Int) -> MarkTakeRequest {
            MarkTakeRequest(take: take.id, mark: UInt64(mark), text: "mark \(mark)")
        }
        let waiting = (1...limit).map { number in Task { [rig = bench.rig] in try await rig.mark(order(number)) } }
        while await bench.rig.shots[take.id]?.markers.count != limit { await Task.yield() }

        let problem = await #expect(throws: CaptureProblem.self) { _ = try await bench.rig.mark(order(limit + 1)) }
        #expect(problem?.code == .conflict)
        #expect(await bench.rig.shots[take.id]?.machine.shot.take?.marks.count == limit)

        hangs.change { $0 = false }
        released.signal()
        for mark in waiting { _ = try await mark.value }
        _ = try await bench.rig.mark(order(limit + 1))
        #expect(await bench.rig.shots[take.id]?.machine.shot.take?.marks.count == limit + 1)
        await bench.end()
    }
}
