import CaptureModel
import CaptureTestSupport
import RigTestSupport
import ShotLogic
import Testing

@testable import RigCore

/// Takes that were recording when the coordinator's machine began a time line of its own.
@Suite(.timeLimit(.minutes(1))) struct TakeRebootTests {
    /// From the end of the old time line to the instant at which the new one began, as its clocks tell.
    private static let apart = Duration.seconds(1_000_000)

    @Test("After a reboot of the coordinator the stop of a take lies years from its beginning, and cancels it")
    func stop() async throws {
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder(), apart: Self.apart)
        _ = await bench.rig.stop(StopTakeRequest(take: take.id), for: Samples.requester())
        let stop = try #require(await bench.rig.shots[take.id]?.machine.shot.take?.stopTime)
        #expect((Duration.seconds(5)..<Duration.seconds(30)).contains(stop - take.time))
        await bench.end()
    }

    @Test("After a reboot of the coordinator the marks of a take lie years from its beginning")
    func mark() async throws {
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder(), apart: Self.apart)
        let mark = try await bench.rig.mark(MarkTakeRequest(take: take.id, mark: 1, text: "go"))
        #expect((Duration.seconds(5)..<Duration.seconds(30)).contains(mark.offset))
        await bench.end()
    }
}
