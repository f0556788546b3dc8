import CameraKit
import CaptureModel
import CaptureTestSupport
import ClockSync
import Journal
import Logging
import PosixSupport
import Spool
import Testing

@testable import NodeCore

@Suite(.timeLimit(.minutes(10))) struct SuspensionWatchTests {
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
        // A reading that goes back is not a sleep, and does not trap.
        #expect(tick(slept: .zero) == nil)
    }

    @Test("Announces new times after a suspension, and waits for none of before it")
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
        // It has seen the time before.
        await clock.sleepers(atLeast: 1)
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

@Suite struct CapturesBeingArmedTests {
    private func key(_ number: Int64, _ device: String = "north/cam") throws -> CaptureKey {
        var generator = SeededGenerator(seed: UInt64(number))
        let shot = ShotID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator)
        return CaptureKey(shot: shot, device: try DeviceID(device))
    }

    @Test("Disarms a cancelled shot once, also where arming was slow")
    func cancelWhileArming() throws {
        var lanes = CapturesBeingArmed()
        let shot = try key(1)
        #expect(lanes.cancel(shot) == .carryOut)
        #expect(lanes.prepare(shot) == .carryOut)
        #expect(lanes.prepare(shot) == .passOver, "repeated every 250 ms")
        #expect(!lanes.isCancelled(shot))
        for _ in 0..<2 { #expect(lanes.cancel(shot) == .passOver) }
        #expect(lanes.prepare(shot) == .passOver)
        #expect(lanes.isCancelled(shot), "the cancel came before")
        lanes.finish(shot)
        lanes.finish(shot)
        #expect(!lanes.isCancelled(shot))
        #expect(lanes.prepare(shot) == .carryOut)
        #expect(!lanes.isCancelled(shot))
    }

    @Test("Bounds the work that waits for a silent camera, and serves the others")
    func bounds() throws {
        var lanes = CapturesBeingArmed()
        let (first, further, unknown) = (try key(3), try key(1000), try key(1001))
        for number in 0..<Int64(CapturesBeingArmed.limit) {
            let shot = try key(number)
            #expect(lanes.prepare(shot) == .carryOut)
        }
        #expect(lanes.prepare(further) == .refuse)
        #expect(lanes.cancel(first) == .passOver)
        #expect(lanes.cancel(unknown) == .carryOut)
        let other = try key(1000, "north/other")
        #expect(lanes.prepare(other) == .carryOut)
        lanes.finish(first)
        #expect(lanes.prepare(further) == .carryOut)
        #expect(lanes.prepare(unknown) == .refuse)
    }
}

@Suite struct NewestQueueTests {
    @Test("Counts each dropped element once")
    func counted() async {
        let queue = NewestQueue<Int>(limit: 3)
        for element in 0..<5 { queue.yield(element) }
        #expect(queue.removeLostCount() == 2 && queue.removeLostCount() == 0)
        var elements = queue.elements.makeAsyncIterator()
        for element in 2..<5 { #expect(await elements.next() == element) }
        queue.yield(5)
        #expect(queue.removeLostCount() == 0)
    }
}

@Suite struct SoundChunkerTests {
    private static let format = AudioFormat(sampleRate: 48_000, channels: 2)

    @Test("Sends sound in chunks of even length, in time for live listening")
    func puttingTogether() {
        var chunker = SoundChunker()
        var chunks: [SoundChunk] = []
        for number in 0..<35 as Range<UInt64> { chunks += chunker.add(buffer(at: 480 * number)) }
        #expect(chunks.map(\.buffer.frameCount) == [4800, 4800, 4800])
        #expect(chunks.map(\.buffer.position) == [0, 4800, 9600])
        #expect(chunks.map(\.beginsRun) == [true, false, false] && chunks.allSatisfy { $0.missingFrames == 0 })
        #expect(chunks[1].buffer.samples == buffer(at: 4800, frames: 4800).samples)
        #expect(chunks[1].buffer.firstFrame == buffer(at: 4800).firstFrame)
    }

    @Test("Marks lost sound, and restarts after the microphone is reopened")
    func gaps() {
        var chunker = SoundChunker()
        _ = chunker.add(buffer(at: 0))
        #expect(chunker.add(buffer(at: 960)).map(\.buffer.frameCount) == [480])
        let afterGap = chunker.add(buffer(at: 1440, frames: 4800))
        #expect(afterGap.count == 1 && afterGap[0].missingFrames == 480 && !afterGap[0].beginsRun)
        // Earlier, in another format, and where no number of frames explains the time between.
        let earlier = chunker.add(buffer(at: 0, frames: 4800))
        #expect(earlier.map(\.beginsRun) == [true])
        var other = buffer(at: 4800, frames: 9600)
        other.format.channels = 1
        #expect(chunker.add(other).map(\.beginsRun) == [true])
        var late = buffer(at: 50_000, frames: 9600)
        late.format.channels = 1
        late.firstFrame = late.firstFrame + .seconds(3600)
        let run = chunker.add(late)
        #expect(run.map(\.beginsRun) == [true] && run.map(\.missingFrames) == [0])
    }

    @Test("Handles stamps and numbers out of bounds")
    func absurd() {
        var chunker = SoundChunker()
        var buffer = buffer(at: .max)
        _ = chunker.add(buffer)
        buffer.position = 0
        _ = chunker.add(buffer)
        buffer.position = .max
        _ = chunker.add(buffer)
    }

    private func buffer(at position: UInt64, frames: Int = 480) -> AudioBuffer {
        let samples = (0..<2 * frames).map { Int16(truncatingIfNeeded: Int(truncatingIfNeeded: position) * 2 + $0) }
        let time = Self.format.duration(ofFrames: Int(min(position, 1 << 40)))
        return AudioBuffer(
            samples: samples, format: Self.format, firstFrame: LocalTime(nanoseconds: 1_000_000_000) + time,
            stampBound: .milliseconds(1), position: position)
    }
}
