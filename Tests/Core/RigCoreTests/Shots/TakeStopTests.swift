import CaptureModel
import CaptureTestSupport
import RigTestSupport
import ShotLogic
import Testing

@testable import RigCore

/// Clients that ask for the end of a take.
@Suite(.timeLimit(.minutes(1))) struct TakeStopTests {
    @Test("A client that repeats itself while a long take ends takes the places of all others, or fills the memory")
    func repeated() async throws {
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder())
        let order = StopTakeRequest(take: take.id)
        var asked: [AsyncStream<ShotNotice>] = []
        for _ in 0..<40 { asked.append(await bench.rig.stop(order, for: Samples.requester(1))) }
        #expect(await bench.rig.shots[take.id]?.stoppers.count == 1)
        for earlier in asked.dropLast() {
            let problem = await #expect(throws: CaptureProblem.self) { try await bench.answer(earlier) }
            #expect(problem?.code == .conflict && problem?.message.contains("later request") == true)
        }
        for other in 2...32 { asked.append(await bench.rig.stop(order, for: Samples.requester(UInt8(other)))) }
        #expect(await bench.rig.shots[take.id]?.stoppers.count == 32, "there is no room for the others")
        let excess = await bench.rig.stop(order, for: Samples.requester(33))
        let problem = await #expect(throws: CaptureProblem.self) { try await bench.answer(excess) }
        #expect(problem?.message.hasPrefix("32 clients wait") == true)
        await bench.end()
    }
}
