import CaptureModel
import CaptureTestSupport
import ClockSync
import Journal
import Logging
import PosixSupport
import Testing

@testable import NodeCore

@Suite(.timeLimit(.minutes(10))) struct DisciplineWatchTests {
    private let clock = ManualTimeSource()
    private let reference = ClockReference(source: .ntp, identity: "utc")
    /// Rig time minus local time.
    private let offset = Duration.seconds(5)

    private func rig(at local: LocalTime) -> RigTime { RigTime(nanoseconds: local.nanoseconds) + offset }

    /// A burst at the present, of a coordinator whose clock is said to be ahead of what the probes prove.
    private func probe(_ burst: UInt64, _ estimate: RigClockEstimate, ahead lie: Duration) {
        let (local, rig) = (clock.now(), rig(at: clock.now()))
        let discipline = DisciplinedClock(
            reference: reference, bound: .microseconds(5),
            pair: WallClockPair(monotonic: rig, realtimeNanoseconds: rig.nanoseconds - (offset + lie).nanoseconds))
        estimate.add(
            ClockProbe(
                sent: local, received: rig, replied: rig, returned: local + .microseconds(100),
                coordinatorDiscipline: discipline), ticket: ProbeID(burst: burst, position: 1),
            clock: RigClockID(rawValue: "a"))
    }

    @Test("Tells the estimate what keeps the clock, and publishes when that begins and ceases to contradict the probes")
    func conflict() async throws {
        let folder = try TemporaryFolder()
        let estimate = RigClockEstimate(clock: clock)
        let journal = try EventJournal(
            folder: folder.path, epoch: Epoch.random(), executor: try ThreadExecutor(name: "events"))
        var log = Logger(label: "test")
        log.logLevel = .critical
        let events = NodeEvents(journal: journal, clock: clock, rigClock: estimate, log: log)
        let discipline = ToldDiscipline { [clock, reference] in
            let now = clock.now()
            return DisciplinedClock(
                reference: reference, bound: .microseconds(5),
                pair: WallClockPair(monotonic: now, realtimeNanoseconds: now.nanoseconds))
        }
        probe(1, estimate, ahead: .seconds(1))
        clock.advance(by: .seconds(1))
        let watch = DisciplineWatch(
            discipline: discipline, estimate: estimate, events: events, clock: clock, log: log)
        let running = Task { await watch.run() }
        await clock.sleepers(atLeast: 1)
        #expect(await events.nextBatch() == nil, "the readings have not been compared yet")

        probe(2, estimate, ahead: .seconds(1))
        await clock.step()
        await clock.sleepers(atLeast: 1)
        let begun = try #require(await events.nextBatch()).events.map(\.event)
        #expect(begun.map(\.name) == [.clockConflict])
        #expect(begun.first?.details["source"] == "ntp")
        #expect(begun.first?.details["claimedOffsetNanoseconds"] == "6000000000")
        let proven = try #require(begun.first?.details["provenOffsetNanoseconds"].flatMap { Int64($0) })
        #expect((proven - offset.nanoseconds).magnitude <= 100_000)

        probe(3, estimate, ahead: .seconds(1))
        await clock.step()
        await clock.sleepers(atLeast: 1)
        #expect(await events.nextBatch() == nil, "it goes on")

        await clock.run(until: clock.now() + .seconds(70))
        await clock.sleepers(atLeast: 1)
        probe(4, estimate, ahead: .zero)
        await clock.step()
        await clock.sleepers(atLeast: 1)
        let ended = try #require(await events.nextBatch()).events.map(\.event)
        #expect(ended.map(\.name) == [.clockConflictEnded])
        running.cancel()
        await running.value
    }
}
