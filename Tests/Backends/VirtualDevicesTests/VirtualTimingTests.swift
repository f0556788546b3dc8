import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import TimeCode

@testable import VirtualDevices

@Suite("Virtual camera: timing")
struct VirtualTimingTests {
    @Test("Stamps and delivers frames by phase, rate, exposure and readout")
    func exactSchedule() async throws {
        var bench = try await VirtualBench {
            $0.phaseMilliseconds = 3
            $0.exposureMilliseconds = 10
            $0.readoutMilliseconds = 7
        }
        // The bench's clock starts at 1000 s, a multiple of 40 ms; its first shutter can open then, so frame 25001 is first.
        for (index, frame) in await bench.expose(50).enumerated() {
            let mid = Int64(25_001 + index) * 40_000_000 + 3_000_000
            #expect(frame.sequence == UInt64(index))
            #expect(frame.midExposure.nanoseconds == mid)
            #expect(frame.dequeued.nanoseconds == mid + 5_000_000 + 7_000_000)
            #expect(frame.exposure == .milliseconds(10))
            #expect(frame.stampBound == .microseconds(100))
        }
        await bench.stream.stop()
    }

    @Test("Exposes at another rate than its format states, and changes it while it runs")
    func actualRate() async throws {
        var bench = try await VirtualBench { $0.actualFramesPerSecond = 10 }
        #expect(bench.stream.format.frameInterval == .milliseconds(40))
        let slow = await bench.expose(10)
        #expect(zip(slow, slow.dropFirst()).allSatisfy { $1.midExposure - $0.midExposure == .milliseconds(100) })
        #expect(slow.map(\.sequence) == Array(0..<10))
        try bench.camera.reconfigure { $0.actualFramesPerSecond = nil }
        let fast = await bench.expose(10).dropFirst(2)
        #expect(zip(fast, fast.dropFirst()).allSatisfy { $1.midExposure - $0.midExposure == .milliseconds(40) })
        await bench.stream.stop()
    }

    @Test("Keeps drift exact over hours")
    func driftOverHours() throws {
        var configuration = VirtualCameraConfiguration()
        configuration.driftPPM = -37
        var sensor = VirtualSensor(framesPerSecond: 30, firstExposure: LocalTime(nanoseconds: 0))
        for _ in 0..<(6 * 3600 * 30 - 1) {
            _ = sensor.next(configuration, now: LocalTime(nanoseconds: 0))
        }
        let last = sensor.next(configuration, now: LocalTime(nanoseconds: 0))
        let index = Int128(last.sequence) + 1
        let exact = index * 1_000_000_000 * (1_000_000 - 37) / (30 * 1_000_000)
        #expect(abs(Int128(last.midExposure.nanoseconds) - exact) <= 1)
    }

    @Test("Runs for a day without gaps at the configured drift")
    func driftOfARunningCamera() async throws {
        var bench = try await VirtualBench {
            $0.framesPerSecond = 0.02
            $0.driftPPM = 50
        }
        let frames = await bench.expose(24 * 72)
        try #require(frames.count == 24 * 72)
        #expect(frames.map(\.sequence) == Array(0..<UInt64(24 * 72)))
        let span = (frames[frames.count - 1].midExposure - frames[0].midExposure).seconds
        #expect(abs(span / (Double(24 * 72 - 1) * 50) - 1 - 50e-6) < 1e-9)
        await bench.stream.stop()
    }

    @Test("Applies the configured jitter, the same in each run")
    func jitter() throws {
        var configuration = VirtualCameraConfiguration()
        configuration.jitterMilliseconds = 2
        let grid = ExposureGrid(configuration, framesPerSecond: 30)
        configuration.jitterMilliseconds = 0
        let still = ExposureGrid(configuration, framesPerSecond: 30)
        let deviations = (0..<10_000).map { Double((grid.midExposure($0) - still.midExposure($0)).nanoseconds) / 1e6 }
        #expect(deviations.allSatisfy { abs($0) <= 2.000001 })
        #expect((deviations.min() ?? 0) < -1.9 && (deviations.max() ?? 0) > 1.9)
        #expect(abs(deviations.reduce(0, +) / 10_000) < 0.1)
        #expect((0..<10_000).map { grid.midExposure($0) } == (0..<10_000).map { grid.midExposure($0) })
        configuration.number = 2
        configuration.jitterMilliseconds = 2
        let other = ExposureGrid(configuration, framesPerSecond: 30)
        #expect((0..<100).contains { grid.midExposure($0) != other.midExposure($0) }, "cameras must not jitter alike")
    }

    @Test("Keeps stamps rising when timing changes")
    func liveChanges() async throws {
        var bench = try await VirtualBench { $0.jitterMilliseconds = 18 }
        var frames = await bench.expose(3)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let (phase, drift) = (
                Double.random(in: -50...50, using: &random), Double.random(in: -500...500, using: &random)
            )
            try bench.camera.reconfigure {
                $0.phaseMilliseconds = phase
                $0.driftPPM = drift
            }
            frames += await bench.expose(2)
        }
        #expect(frames.map(\.sequence) == Array(0..<403))
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.midExposure < $1.midExposure })
        #expect(frames.allSatisfy { $0.midExposure + .milliseconds(4) <= $0.dequeued })
        await bench.stream.stop()
    }

    @Test("Keeps a phase that is set while it runs")
    func livePhase() async throws {
        var bench = try await VirtualBench()
        _ = await bench.expose(2)
        try bench.camera.reconfigure { $0.phaseMilliseconds = 11 }
        let frames = await bench.expose(5)
        // The frame that was planned already still has the old phase.
        #expect(frames.dropFirst().allSatisfy { $0.midExposure.nanoseconds % 40_000_000 == 11_000_000 })
        await bench.stream.stop()
    }

    @Test("Skips and counts the frames of a suspension")
    func lateHost() async throws {
        var bench = try await VirtualBench()
        let before = await bench.expose(2)
        await bench.clock.sleepers(atLeast: 1)
        bench.clock.advance(by: .seconds(10))
        await bench.clock.sleepers(atLeast: 1)
        var frames = await bench.removeWaiting()
        frames += await bench.expose(4)
        let last = try #require(frames.last)
        #expect(bench.stream.losses.droppedByDevice >= 240)
        #expect(bench.clock.now() - last.midExposure < .milliseconds(100))
        let numbers = Set((before + frames).map(\.sequence))
        #expect(
            numbers.count + Int(bench.stream.losses.droppedByDevice + bench.stream.losses.droppedByNode) == Int(
                last.sequence) + 1)
        await bench.stream.stop()
    }

    @Test("Keeps as many frames for a late thread as a driver has buffers", arguments: [1, 8, 9, 60] as [Int64])
    func lateThread(intervals: Int64) {
        var configuration = VirtualCameraConfiguration()
        configuration.framesPerSecond = 25
        var sensor = VirtualSensor(framesPerSecond: 25, firstExposure: LocalTime(nanoseconds: 0))
        let first = sensor.next(configuration, now: LocalTime(nanoseconds: 0))
        let next = sensor.next(configuration, now: first.delivery + .milliseconds(40 * (1 + intervals)))
        #expect(next.skipped == (intervals > 8 ? UInt64(intervals) : 0))
        #expect(next.sequence == first.sequence + next.skipped + 1)
    }

    @Test("Moves all further exposures by exactly what is asked, and begins at its phase when it is opened again")
    func shift() async throws {
        var bench = try await VirtualBench { $0.phaseMilliseconds = 3 }
        guard case .steps(let steps) = bench.stream.phaseControl else {
            Issue.record("\(bench.stream.phaseControl)")
            return
        }
        #expect(steps.range == .milliseconds(-20)...Duration.milliseconds(20) && steps.step == .nanoseconds(1))
        var expected: Int64 = 3_000_000
        for shift in [1_234_567, -7, -15_000_000, 20_000_000, 13_000_000] as [Int64] {
            #expect(try await bench.stream.shiftPhase(by: .nanoseconds(shift)) == .nanoseconds(shift))
            expected += shift
            let frames = await bench.expose(6).dropFirst(2)
            for frame in frames {
                #expect(((frame.midExposure.nanoseconds - expected) % 40_000_000 + 40_000_000) % 40_000_000 == 0)
            }
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
        }
        #expect(try await bench.stream.shiftPhase(by: .seconds(1)) == .milliseconds(20))
        await bench.stream.stop()
        await #expect(throws: CameraError.self) { try await bench.stream.shiftPhase(by: .milliseconds(1)) }
        let stream = try await bench.camera.start(FormatRequest(), clock: bench.clock)
        #expect(stream.phaseControl == bench.stream.phaseControl)
        await stream.stop()
    }

    @Test("Begins at another phase with each start if only that moves it, and refuses to be moved")
    func restartedPhase() async throws {
        var phases: Set<Int64> = []
        var configuration = VirtualCameraConfiguration()
        (configuration.framesPerSecond, configuration.phaseControl) = (25, .restart)
        for index in 0..<20 as Range<UInt64> {
            let shift = configuration.shift(ofOpening: index).nanoseconds
            #expect((0..<40_000_000).contains(shift))
            phases.insert(shift)
        }
        #expect(phases.count == 20)
        var bench = try await VirtualBench { $0.phaseControl = .restart }
        #expect(bench.stream.phaseControl == .restart)
        let error = await #expect(throws: CameraError.self) {
            try await bench.stream.shiftPhase(by: .milliseconds(1))
        }
        #expect(error?.code == .unsupportedControl)
        let frames = await bench.expose(3)
        #expect(frames.allSatisfy { $0.midExposure.nanoseconds % 40_000_000 != 0 })
        await bench.stream.stop()
    }

    @Test("Waits for the start delay")
    func startDelay() async throws {
        var bench = try await VirtualBench { $0.startDelayMilliseconds = 1500 }
        let first = try #require(await bench.expose(1).first)
        #expect(first.sequence == 0)
        #expect(first.midExposure.nanoseconds == 1_001_520_000_000)
        await bench.stream.stop()
    }

    @Test("Draws the stamp into the time code to the microsecond")
    func codeEqualsStamp() async throws {
        var bench = try await VirtualBench {
            $0.number = 4711
            $0.jitterMilliseconds = 5
            $0.driftPPM = 120
        }
        for frame in await bench.expose(60) {
            let code = try VirtualBench.code(frame)
            let stamp = bench.clock.wallClockPair().realtimeNanoseconds(at: frame.midExposure)
            #expect(abs(code.realtimeNanoseconds - stamp) <= 1000)
            #expect(UInt64(code.frameNumber) == frame.sequence)
            #expect(code.cameraNumber == 4711)
        }
        await bench.stream.stop()
    }

    @Test("Frees the camera when nobody holds the stream", .timeLimit(.minutes(10)))
    func droppedStream() async throws {
        let camera = VirtualBench.camera()
        let clock = ManualTimeSource()
        var stream: (any CameraStream)? = try await camera.start(FormatRequest(), clock: clock)
        let frames = try #require(stream).frames
        stream = nil
        for await _ in frames {}
        await (try camera.start(FormatRequest(), clock: clock)).stop()
    }

    @Test("Stops exposing when the consumer gives up", .timeLimit(.minutes(10)))
    func consumerGone() async throws {
        let bench = try await VirtualBench()
        let consumer = Task { [frames = bench.stream.frames] in
            for await _ in frames {}
        }
        consumer.cancel()
        await consumer.value
        await bench.clock.step()
        // The loop ends at the frame that nobody takes; a stop has nothing left to cancel then.
        await bench.stream.stop()
        #expect(bench.stream.failure == nil)
        #expect(bench.stream.report.handedOn == 0)
    }
}
