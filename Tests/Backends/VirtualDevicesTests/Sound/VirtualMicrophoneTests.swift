import CameraKit
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing
import TimeCode

@testable import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct VirtualMicrophoneTests {
    /// The wall clock is 0.3 s past a second that is divisible by ten when the test begins.
    private let clock = ManualTimeSource(realtimeNanoseconds: 1_800_000_000_300_000_000)

    private func microphone(
        _ configure: (inout VirtualMicrophoneConfiguration) -> Void = { _ in }
    ) -> VirtualMicrophone {
        var configuration = VirtualMicrophoneConfiguration()
        configure(&configuration)
        return VirtualMicrophone(name: "mic", configuration: configuration)
    }

    /// The next buffers of a stream, the clock moved on for each.
    private func hear(_ count: Int, of stream: any MicrophoneStream) async -> [AudioBuffer] {
        async let heard = stream.heard(count)
        await clock.run(until: clock.now() + .milliseconds(20 * (count + 1) + 2))
        return await heard
    }

    @Test("Plays each second at its stamped time")
    func marks() async throws {
        let stream = try await microphone().start(AudioFormatRequest(), clock: clock)
        #expect(stream.format == AudioFormat(sampleRate: 48_000, channels: 1))
        let buffers = await hear(60, of: stream)
        await stream.stop()
        let samples = buffers.flatMap(\.samples)
        let marks = HeardMark.all(in: samples, rate: 48_000)
        #expect(marks.count == 1)
        let mark = try #require(marks.first)
        #expect(!mark.isDistinguished)
        let heard = try #require(buffers.first).firstFrame + stream.format.duration(ofFrames: mark.frame)
        let pair = clock.wallClockPair()
        let error = pair.realtimeNanoseconds(at: heard) - 1_800_000_001_000_000_000
        #expect(abs(error) < 50_000, "\(error) ns off")
        #expect(!samples.contains(0), "silence is what was not heard")
    }

    @Test("Keeps a mark's samples apart from inserted silence in spite of noise")
    func neverSilent() {
        // In the phase of these, every twelfth sample of a mark of 2 kHz is as faint as the noise.
        for second in 1_800_000_001...1_800_000_009 as ClosedRange<Int64> {
            let samples = SceneSound(noise: SeededNoise(seed: 1)).samples(
                4_800, from: second * 48_000, realtime: second * 1_000_000_000 - 20_000_100, interval: 1e9 / 48_000,
                channels: 1)
            #expect(samples.count { $0.magnitude < 64 } > 2_800 + 100)
            #expect(!samples.contains(0))
        }
    }

    @Test("Plays a different tone each tenth second")
    func distinguished() async throws {
        let clock = ManualTimeSource(realtimeNanoseconds: 1_799_999_999_900_000_000)
        let stream = try await microphone().start(AudioFormatRequest(), clock: clock)
        async let first = stream.buffers.first { $0.samples.contains { $0.magnitude > 1000 } }
        await clock.run(until: clock.now() + .milliseconds(200))
        let buffer = try #require(await first)
        await stream.stop()
        #expect(SoundMark.tone(ofSecond: 1_800_000_000) == 3000)
        let changes = zip(buffer.samples, buffer.samples.dropFirst()).count { ($0 < 0) != ($1 < 0) }
        // 20 ms of 3 kHz change their sign 120 times.
        #expect(abs(changes - 120) < 12 || changes > 60)
    }

    @Test("Aligns picture and sound of one scene")
    func sceneOfTheCamera() async throws {
        let camera = VirtualCamera(name: "cam", configuration: VirtualCameraConfiguration())
        let pictures = try await camera.start(FormatRequest(width: 320, height: 180), clock: clock)
        let sound = try await microphone().start(AudioFormatRequest(), clock: clock)
        async let frame = pictures.frames.first { _ in true }
        async let heard = sound.heard(50)
        await clock.run(until: clock.now() + .milliseconds(1100), sleepers: 2)
        let picture = try #require(await frame)
        let buffers = await heard
        await pictures.stop()
        await sound.stop()
        let code = try VirtualBench.code(picture)
        let mark = try #require(HeardMark.all(in: buffers.flatMap(\.samples), rate: 48_000).first)
        let second = try #require(buffers.first).firstFrame + sound.format.duration(ofFrames: mark.frame)
        let byPicture = picture.midExposure + .nanoseconds(1_800_000_001_000_000_000 - code.realtimeNanoseconds)
        #expect((second - byPicture).magnitude < .microseconds(50))
    }

    @Test("Sounds the same in each run")
    func deterministic() async throws {
        var runs: [[AudioBuffer]] = []
        for _ in 0..<2 {
            let clock = ManualTimeSource()
            let stream = try await microphone { $0.stampJitterMilliseconds = 1 }.start(
                AudioFormatRequest(), clock: clock)
            async let heard = stream.heard(5)
            await clock.run(until: clock.now() + .milliseconds(140))
            runs.append(await heard)
            await stream.stop()
        }
        #expect(runs[0] == runs[1])
        #expect(Set(runs[0].map(\.samples)).count == 5, "noise that repeats")
    }

    @Test("Delivers at the rate of its own clock, with true stamps")
    func drift() async throws {
        let stream = try await microphone {
            $0.driftPPM = -1000
            $0.stampJitterMilliseconds = 0.1
        }.start(AudioFormatRequest(sampleRate: 8000, channels: 2), clock: clock)
        let buffers = await hear(50, of: stream)
        await stream.stop()
        let (first, last) = (try #require(buffers.first), try #require(buffers.last))
        let span = Double((last.firstFrame - first.firstFrame).nanoseconds)
        let expected = Double(last.position - first.position) * 125_000 * 0.999
        #expect(abs(span - expected) < 210_000)
        #expect(buffers.allSatisfy { $0.samples.count == 320 && $0.frameCount == 160 })
        #expect(buffers.allSatisfy { $0.samples[0] == $0.samples[1] }, "both channels hear the same")
    }

    @Test("Reports an overrun, and places what follows")
    func overrun() async throws {
        let microphone = microphone()
        try microphone.faults.inject(VirtualFault(.dropped, fromFrame: 2, count: 3))
        let stream = try await microphone.start(AudioFormatRequest(), clock: clock)
        async let heard = stream.heard(4)
        await clock.run(until: clock.now() + .milliseconds(180))
        let buffers = await heard
        #expect(buffers.map(\.lostFrames) == [0, 0, 2880, 0])
        #expect(buffers.map(\.position) == [0, 960, 4800, 5760])
        #expect(buffers[2].firstFrame - buffers[0].firstFrame == .milliseconds(100))
        #expect(stream.losses.droppedByDevice == 2880)
        await stream.stop()
    }

    @Test("Drops overdue sound after a delay, as a device would")
    func heldUp() async throws {
        let clock = StumblingClock(after: 1, by: .seconds(3), then: 2)
        let stream = try await microphone().start(AudioFormatRequest(), clock: clock)
        let buffers = await stream.heard(3)
        await stream.stop()
        // The third was due almost three seconds ago; of those, half a second is kept.
        #expect(buffers.prefix(2).map(\.lostFrames) == [0, 0])
        let lost = try #require(buffers.last).lostFrames / 960
        #expect((124...125).contains(lost), "\(lost) buffers")
    }

    @Test("Reports a microphone that is unplugged, busy or forbidden, and its return")
    func faults() async throws {
        let microphone = microphone()
        let stream = try await microphone.start(AudioFormatRequest(), clock: clock)
        await #expect(throws: CameraError.self) { _ = try await microphone.start(AudioFormatRequest(), clock: clock) }
        try microphone.faults.inject(VirtualFault(.unplugged))
        async let count = stream.buffers.reduce(0) { sum, _ in sum + 1 }
        await clock.step()
        #expect(await count == 0)
        #expect(stream.failure?.code == .absent)
        #expect(await microphone.authorization() == .notDetermined)
        let refusal = await #expect(throws: CameraError.self) {
            _ = try await microphone.start(AudioFormatRequest(), clock: clock)
        }
        #expect(refusal?.code == .absent)
        microphone.faults.clear()
        try microphone.faults.inject(VirtualFault(.denied, count: 1))
        #expect(await microphone.authorization() == .denied)
        let denial = await #expect(throws: CameraError.self) {
            _ = try await microphone.start(AudioFormatRequest(), clock: clock)
        }
        #expect(denial?.code == .denied)
        try await microphone.start(AudioFormatRequest(), clock: clock).stop()
    }

    @Test("Refuses an impossible microphone, and says why")
    func problems() async throws {
        let wrong = microphone {
            $0.sampleRate = 1
            $0.channels = 99
            $0.periodMilliseconds = .nan
            $0.faults = [VirtualFault(.torn)]
        }
        var configuration = VirtualMicrophoneConfiguration()
        (configuration.sampleRate, configuration.channels) = (1, 99)
        configuration.faults = [VirtualFault(.torn), VirtualFault(.unplugged, fromSet: 1)]
        #expect(
            configuration.problems.map(\.key) == ["sampleRate", "channels", "faults[0].kind", "faults[1].fromSet"])
        await #expect(throws: CameraError.self) { _ = try await wrong.start(AudioFormatRequest(), clock: clock) }
        let refusal = await #expect(throws: CameraError.self) {
            _ = try await microphone().start(AudioFormatRequest(sampleRate: 7), clock: clock)
        }
        #expect(refusal?.code == .unsupportedFormat)
    }
}

extension MicrophoneStream {
    /// The next buffers; fewer where the stream ends before.
    fileprivate func heard(_ count: Int) async -> [AudioBuffer] {
        var heard: [AudioBuffer] = []
        for await buffer in buffers {
            heard.append(buffer)
            if heard.count == count { break }
        }
        return heard
    }
}

/// A clock on which every sleep ends at once, one of them much too late, and which stands still after so many.
final class StumblingClock: TimeSource {
    private struct State {
        var now = LocalTime(nanoseconds: 1_000_000_000_000)
        var sleeps = 0
    }

    private let state = Locked(State())
    private let still = ManualTimeSource()
    private let number: Int
    private let delay: Duration
    private let last: Int

    /// - Parameters:
    ///   - number: Of the sleep that ends late, from 0.
    ///   - last: Of the sleep that ends last.
    init(after number: Int, by delay: Duration, then last: Int) {
        self.number = number
        self.delay = delay
        self.last = last
    }

    func now() -> LocalTime { state.withLock(\.now) }

    func wallClockPair() -> WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now(), realtimeNanoseconds: 1_800_000_000_500_000_000)
    }

    func sleep(until deadline: LocalTime) async throws {
        let sleeps = state.withLock { state in
            defer { state.sleeps += 1 }
            return state.sleeps
        }
        guard sleeps <= last else { return try await still.sleep(until: still.now() + .seconds(1)) }
        state.withLock { $0.now = max($0.now, deadline) + (sleeps == number ? delay : .zero) }
    }
}
