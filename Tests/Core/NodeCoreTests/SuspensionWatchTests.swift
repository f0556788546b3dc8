import CaptureModel
import CaptureTestSupport
import ClockSync
import Journal
import Logging
import PosixSupport
import Spool
import Testing

@testable import NodeCore

@Suite(.timeLimit(.minutes(1))) struct SuspensionWatchTests {
    private let clock = ManualTimeSource()

    @Test(
        "A sleep of the machine passes for a stop of the process, a late tick for either, or many short sleeps for none"
    )
    func detector() {
        var detector = SuspensionDetector(at: clock.now(), timeSlept: .seconds(77))
        func tick(after wait: Duration = SuspensionDetector.interval, slept: Duration) -> Suspension? {
            clock.advance(by: wait)
            return detector.tick(at: clock.now(), timeSlept: .seconds(77) + slept)
        }
        #expect(tick(slept: .zero) == nil)
        #expect(tick(after: .seconds(1), slept: .milliseconds(4)) == nil)
        #expect(tick(slept: .milliseconds(8)) == Suspension(.machineSlept, .milliseconds(8)))
        #expect(tick(after: .seconds(4), slept: .milliseconds(8)) == Suspension(.processStopped, .milliseconds(3750)))
        #expect(tick(after: .seconds(9), slept: .seconds(60))?.kind == .machineSlept)
        #expect(tick(slept: .seconds(60)) == nil)
        // A reading that goes back is no sleep, and no trap.
        #expect(tick(slept: .zero) == nil)
    }

    @Test("After a sleep a node tells times of before it, or waits for ever for those of after, or nobody is told")
    func machineSleeps() async throws {
        let folder = try TemporaryFolder()
        let estimate = RigClockEstimate(clock: clock)
        let journal = try EventJournal(
            folder: folder.path, epoch: Epoch.random(), executor: try ThreadExecutor(name: "events"))
        let probed = Observed(0)
        var log = Logger(label: "test")
        log.logLevel = .critical
        let events = NodeEvents(journal: journal, clock: clock, rigClock: estimate, log: log)
        let watch = SuspensionWatch(
            sessions: [], events: events, estimate: estimate, clock: clock, log: log,
            probe: { probed.change { $0 += 1 } })
        let running = Task { await watch.run() }
        await clock.step()
        clock.suspendMachine(for: .seconds(3))
        #expect(estimate.isHeld)
        await clock.step()
        await probed.wait { $0 == 1 }
        #expect(!estimate.isHeld)
        await clock.sleepers(atLeast: 1)
        let told = try #require(await events.nextBatch()).events.map(\.event)
        #expect(told.map(\.name) == [.nodeSuspended])
        #expect(told.first?.details["durationNanoseconds"] == "3000000000")
        running.cancel()
        await running.value
    }
}
