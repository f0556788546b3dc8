import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@testable import Sound

@Suite(.timeLimit(.minutes(10))) struct SoundSessionTests {
    @Test("Places each second of a clip where it was in time")
    func marks() async throws {
        let stage = try SoundStage {
            $0.driftPPM = 200
            $0.stampJitterMilliseconds = 0.5
            $0.stampBoundMilliseconds = 0.5
        }
        try await stage.run {
            await stage.session.need(.listening)
            await stage.hearFirst()
            await stage.hear(200)
            let (lower, upper) = (stage.second(1_800_000_001) - .milliseconds(400), stage.second(1_800_000_004))
            let clip = await stage.session.sound(in: lower...upper)
            #expect(clip.gaps.isEmpty && clip.problem == nil)
            let rate = try #require(clip.measuredRate)
            #expect(abs(rate - 8000 / 1.0002) < 0.4)
            let marks = HeardMark.all(in: clip.samples, rate: rate)
            #expect(marks.count == 3)
            for (number, mark) in marks.enumerated() {
                let error = Double(mark.frame) / rate - 0.4 - Double(number)
                #expect(abs(error) < 0.001, "\(error) s off")
            }
        }
    }

    @Test("Waits for a microphone until it is heard, or until it cannot be opened")
    func started() async throws {
        let stage = try SoundStage()
        try await stage.run {
            #expect(await stage.session.started()?.contains("nothing needs sound") == true)
            await stage.session.need(.listening)
            async let reason = stage.session.started()
            await stage.hearFirst()
            #expect(await reason == nil)
            #expect(await stage.session.state.state == .running)
        }
        let denied = try SoundStage { $0.faults = [VirtualFault(.denied)] }
        try await denied.run {
            await denied.session.need(.listening)
            #expect(await denied.session.started() != nil)
        }
    }

    @Test("Closes the microphone when nothing needs sound")
    func openOnlyWhileNeeded() async throws {
        let stage = try SoundStage()
        try await stage.run {
            // Nobody else has it: it can be opened.
            try await stage.microphone.start(AudioFormatRequest(), clock: stage.clock).stop()
            await stage.session.need(.listening)
            await stage.hearFirst()
            await #expect(throws: CameraError.self) {
                _ = try await stage.microphone.start(AudioFormatRequest(), clock: stage.clock)
            }
            #expect(await stage.session.condition.state == .running)
            await stage.session.release(.listening)
            await stage.states.wait { $0.last == .stopped }
        }
        #expect(stage.states.value == [.starting, .running, .stopped])
        try await stage.microphone.start(AudioFormatRequest(), clock: stage.clock).stop()
    }

    @Test("Keeps the sound after an overrun in place, and marks the overrun")
    func overrun() async throws {
        let stage = try SoundStage()
        try stage.microphone.faults.inject(VirtualFault(.dropped, fromFrame: 10, count: 5))
        try await stage.run {
            await stage.session.need(.listening)
            await stage.hearFirst()
            await stage.hear(9)
            await stage.miss(5)
            await stage.hear(60)
            let start = stage.second(1_800_000_001) - .milliseconds(450)
            let clip = await stage.session.sound(in: start...start + .seconds(1))
            let gap = try #require(clip.gaps.first)
            #expect(clip.gaps.count == 1 && gap.cause == .overrun && gap.frames.count == 5 * 160)
            #expect(clip.samples[gap.frames].allSatisfy { $0 == 0 })
            #expect(!clip.samples[..<gap.frames.lowerBound].contains(0))
            #expect(!clip.samples[gap.frames.upperBound...].contains(0))
            let mark = try #require(HeardMark.all(in: clip.samples, rate: 8000).first)
            #expect(abs(mark.frame - 3600) <= 8)
            #expect(await stage.session.condition.counters.droppedByDevice == 5 * 160)
        }
    }

    @Test("Waits for the end of a clip, and not longer")
    func waitsForTheEnd() async throws {
        let stage = try SoundStage()
        try await stage.run {
            await stage.session.need(.listening)
            await stage.hearFirst()
            await stage.hear(10)
            let start = stage.clock.now() - .milliseconds(100)
            async let clip = stage.session.sound(in: start...start + .milliseconds(500))
            // The clip's own alarm is the third sleeper.
            await stage.clock.sleepers(atLeast: 3)
            await stage.hear(24)
            #expect(await clip.gaps.isEmpty)
        }
    }

    @Test("Explains the silence of a missing microphone without delaying the capture")
    func absent() async throws {
        let stage = try SoundStage()
        try stage.microphone.faults.inject(VirtualFault(.unplugged))
        try await stage.run {
            await stage.session.need(.listening)
            await stage.states.wait { $0.contains(.absent) }
            let now = stage.clock.now()
            let clip = await stage.session.sound(in: now - .seconds(2)...now - .milliseconds(1))
            #expect(clip.isSilent && clip.frameCount == 95_952)
            #expect(clip.gaps.map(\.cause) == [.notOpen])
            let problem = clip.problem ?? ""
            #expect(problem.contains("unplugged"))
            stage.microphone.faults.clear()
            await stage.clock.step()
            await stage.hearFirst()
            #expect(await stage.session.condition.state == .running)
        }
        #expect(stage.states.value == [.starting, .absent, .running, .stopped])
    }

    @Test("Marks sound that is lost in the middle of a clip")
    func lostMeanwhile() async throws {
        let stage = try SoundStage()
        try await stage.run {
            await stage.session.need(.listening)
            await stage.hearFirst()
            await stage.hear(10)
            let start = stage.clock.now() - .milliseconds(200)
            async let pending = stage.session.sound(in: start...start + .seconds(1))
            await stage.clock.sleepers(atLeast: 3)
            try stage.microphone.faults.inject(VirtualFault(.unplugged))
            stage.clock.advance(by: SoundStage.period)
            await stage.states.wait { $0.contains(.absent) }
            // Every attempt to open it fails until the window is over.
            stage.clock.advance(to: start + .seconds(1))
            let clip = await pending
            #expect(clip.gaps.map(\.cause) == [.notOpen])
            #expect((clip.gaps.first?.frames.lowerBound ?? 0) > 1000)
            let problem = clip.problem ?? ""
            #expect(problem.contains("unplugged"))
        }
    }

    @Test("Waits for no sound from before it was needed")
    func notNeeded() async throws {
        let stage = try SoundStage()
        try await stage.run {
            let now = stage.clock.now()
            let clip = await stage.session.sound(in: now...now + .seconds(3600))
            #expect(clip.isSilent && clip.problem == "nothing needs sound, so the microphone is not open")
        }
    }

    @Test("Reopens a silent microphone")
    func stalls() async throws {
        let stage = try SoundStage(stallTimeout: .milliseconds(500))
        try stage.microphone.faults.inject(VirtualFault(.stalled, fromFrame: 3))
        try await stage.run {
            await stage.session.need(.listening)
            await stage.hearFirst()
            await stage.hear(2)
            let last = stage.clock.now()
            await stage.clock.run(until: last + .milliseconds(450), sleepers: 2)
            let stall = last + .milliseconds(500)
            stage.clock.advance(to: stall)
            await stage.states.wait { $0.contains(.stalled) }
            stage.microphone.faults.clear()
            // The stream ends without the clock. Only then does anything sleep longer than a period: until the retry.
            await stage.clock.sleeper(notBefore: stall + .milliseconds(200))
            stage.clock.advance(to: stall + SoundPolicy().firstRetry)
            await stage.hearFirst()
            #expect(await stage.session.condition.counters.stalls == 1)
        }
        #expect(stage.states.value.starts(with: [.starting, .running, .stalled, .running]))
    }

    @Test("Gives a late listener current sound and the count of what it missed")
    func lateListener() async throws {
        let output = AudioDataOutput(limit: 3)
        let sound = SoundBuffers()
        for index in 0..<5 { output.offer(sound.buffer(index)) }
        let first = try #require(await output.next())
        #expect(first.buffer.position == 20 && first.droppedBuffers == 2)
        let second = try #require(await output.next())
        #expect(second.buffer.position == 30 && second.droppedBuffers == 0)
        #expect(output.droppedCount == 2)
        output.close()
        #expect(await output.next()?.buffer.position == 40)
        #expect(await output.next() == nil)
    }
}

/// Buffers as a microphone of 1 kHz has them, 10 frames each, whose samples are their own numbers: what is to be found
/// in a clip can be computed.
struct SoundBuffers {
    static let format = AudioFormat(sampleRate: 1000, channels: 1)
    static let origin = LocalTime(nanoseconds: 1_000_000_000_000)

    /// Nanoseconds from frame to frame, truly.
    var interval = 1_000_000.0
    /// Added to the stamp of buffer *n*, nanoseconds.
    var error: (Int) -> Int64 = { _ in 0 }
    var bound = Duration.zero

    /// Buffer number `index`.
    func buffer(_ index: Int, lost: UInt64 = 0) -> AudioBuffer {
        AudioBuffer(
            samples: (0..<10).map { Int16(truncatingIfNeeded: index * 10 + $0) }, format: Self.format,
            firstFrame: time(ofFrame: index * 10) + .nanoseconds(error(index)), stampBound: bound,
            position: UInt64(index) * 10, lostFrames: lost)
    }

    /// When a frame was taken, truly.
    func time(ofFrame frame: Int) -> LocalTime {
        Self.origin + .nanoseconds(Int64((Double(frame) * interval).rounded()))
    }

    /// A ring with these buffers, of one stream.
    func ring(_ indices: some Sequence<Int>, depth: Duration = .seconds(1000)) -> AudioRing {
        var ring = AudioRing(depth: depth, byteLimit: 1 << 24)
        ring.beginStream(Self.format)
        for index in indices { ring.append(buffer(index)) }
        return ring
    }
}

extension SoundClip {
    /// What a ring has of a window.
    init(_ window: ClosedRange<LocalTime>, _ ring: AudioRing) {
        self.init(of: window, from: ring, format: SoundBuffers.format, tail: .notArrived)
    }
}

/// A session of one virtual microphone (8 kHz, one channel, buffers of 20 ms) on a clock that the test moves.
final class SoundStage: Sendable {
    static let period = Duration.milliseconds(20)

    let clock: ManualTimeSource
    let microphone: VirtualMicrophone
    let session: SoundSession
    let output = AudioDataOutput(limit: 1000)
    let states = Observed<[DeviceCondition.State]>([])

    /// - Parameter stallTimeout: So long by default that no test meets it unless it wants to.
    init(
        stallTimeout: Duration = .seconds(86_400), realtimeNanoseconds: Int64 = 1_800_000_000_500_000_000,
        configure: (inout VirtualMicrophoneConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = VirtualMicrophoneConfiguration()
        configuration.sampleRate = 8000
        configure(&configuration)
        clock = ManualTimeSource(realtimeNanoseconds: realtimeNanoseconds)
        microphone = VirtualMicrophone(name: "mic", configuration: configuration)
        session = SoundSession(
            device: DeviceDescription(
                id: try DeviceID("north/mic"), mediaType: .audio, type: .microphone, driver: "virtual"),
            microphone: microphone, policy: SoundPolicy(stallTimeout: stallTimeout), clock: clock
        ) { [states] state, _ in states.change { $0.append(state) } }
    }

    /// Lets the session run for as long as `body` takes, and waits for its end.
    func run(_ body: () async throws -> Void) async throws {
        let running = Task { [session] in await session.run() }
        await session.attach(output)
        do {
            try await body()
        } catch {
            running.cancel()
            await running.value
            throw error
        }
        running.cancel()
        await running.value
    }

    /// Lets the microphone, which is being opened, hear its first buffer.
    func hearFirst() async {
        // A buffer, its delivery, and a margin that keeps the end of every later step between two deliveries.
        await hear(after: Self.period + .milliseconds(5))
    }

    /// Lets the microphone hear so many further buffers; the session has each before the next one is heard.
    func hear(_ count: Int) async {
        for _ in 0..<count { await hear(after: Self.period) }
    }

    private func hear(after time: Duration) async {
        await miss(after: time)
        _ = await output.next()
    }

    /// Lets time pass in which so many buffers are not delivered.
    func miss(_ count: Int) async {
        for _ in 0..<count { await miss(after: Self.period) }
    }

    /// Microphone and watchdog sleep.
    private func miss(after time: Duration) async {
        await clock.sleepers(atLeast: 2)
        clock.advance(by: time)
    }

    /// The instant of a second of the scene.
    func second(_ number: Int64) -> LocalTime {
        clock.wallClockPair().instant(atRealtimeNanoseconds: number * 1_000_000_000)
    }
}
