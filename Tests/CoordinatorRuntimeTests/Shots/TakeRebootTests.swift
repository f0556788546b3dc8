import CaptureModel
import CaptureTestSupport
import Library
import RigProtocol
import RigWire
import ShotLogic
import Testing

@testable import CoordinatorRuntime

/// Takes that were recording when the coordinator's machine began a time line of its own.
@Suite(.timeLimit(.minutes(1))) struct TakeRebootTests {
    /// From the end of the old time line to the instant at which the new one began, as its clocks tell.
    private static let apart = Duration.seconds(1_000_000)

    /// A take of `north`, begun five seconds ago on a time line that has ended, and which the coordinator goes on with.
    private func resumed(_ folder: TemporaryFolder) async throws -> (RigBench, Shot) {
        let bench = try await RigBench(folder: folder)
        let past = WallClockPair<RigTimeBase>(
            monotonic: bench.rig.now + Self.apart,
            realtimeNanoseconds: bench.rig.wallClock.realtimeNanoseconds - 5_000_000_000)
        var settings = PhotoSettings()
        settings.movie = MovieSettings()
        var take = Shot(
            id: Samples.shot(), time: past.monotonic, rigClock: RigClockID(rawValue: "rig-0"), wallClock: past,
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection(), settings: settings),
            captures: [Capture(device: try Samples.device("north/cam").description, kinds: AssetKind.ofMovie)])
        take.captures[0].phase = .captured
        try await bench.library.journal(take)
        try await bench.rig.resumeOpenShots()
        return (bench, take)
    }

    @Test("After a reboot of the coordinator the stop of a take lies years from its beginning, and cancels it")
    func stop() async throws {
        let (bench, take) = try await resumed(try TemporaryFolder())
        _ = await bench.rig.stop(StopTakeRequest(take: take.id))
        let stop = try #require(await bench.rig.shots[take.id]?.machine.shot.take?.stopTime)
        #expect((Duration.seconds(5)..<Duration.seconds(30)).contains(stop - take.time))
        await bench.end()
    }

    @Test("After a reboot of the coordinator the marks of a take lie years from its beginning")
    func mark() async throws {
        let (bench, take) = try await resumed(try TemporaryFolder())
        let mark = try await bench.rig.mark(MarkTakeRequest(take: take.id, mark: 1, text: "go"))
        #expect((Duration.seconds(5)..<Duration.seconds(30)).contains(.nanoseconds(mark.offsetNs)))
        await bench.end()
    }
}
