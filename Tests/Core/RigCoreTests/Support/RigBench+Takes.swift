import CaptureModel
import CaptureSystem
import CaptureTestSupport
import PosixSupport
import RigTestSupport
import ShotLogic
import StorageKit

@testable import RigCore

extension RigBench {
    /// A take of `north`, begun five seconds ago on a time line that has ended, and which the coordinator goes on with.
    /// - Parameters:
    ///   - apart: From the end of the old time line to the instant at which the new one began, as its clocks tell.
    ///   - fault: Of the library's disk.
    static func resumingTake(
        _ folder: TemporaryFolder, apart: Duration = .zero, clock: any TimeSource = SystemTimeSource(),
        fault: FileFault? = nil
    ) async throws -> (RigBench, Shot) {
        let bench = try await RigBench(folder: folder, clock: clock, fault: fault)
        let past = WallClockPair<RigTimeBase>(
            monotonic: bench.rig.now + apart,
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
}
