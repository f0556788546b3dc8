import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@testable import Sound

@Suite(.timeLimit(.minutes(1))) struct SoundSessionTests {
    @Test("A second is heard in a clip at another place than it had in time")
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

    @Test("Who waits for a microphone goes on before it is heard, or waits for one that cannot be opened")
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

    @Test("A microphone listens though nothing needs sound")
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

    @Test("An overrun shifts the sound after it, or is not marked")
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

    @Test("A clip whose end is still to come is cut off, or waited for without end")
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

    @Test("A microphone that is missing keeps a capture waiting, or its silence is not explained")
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

    @Test("Sound is lost in the middle of a clip, and nobody marks it")
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

    @Test("Sound that nothing needed is waited for")
    func notNeeded() async throws {
        let stage = try SoundStage()
        try await stage.run {
            let now = stage.clock.now()
            let clip = await stage.session.sound(in: now...now + .seconds(3600))
            #expect(clip.isSilent && clip.problem == "nothing needs sound, so the microphone is not open")
        }
    }

    @Test("A microphone that falls silent is left so")
    func stalls() async throws {
        let stage = try SoundStage(stallTimeout: .milliseconds(500))
        try stage.microphone.faults.inject(VirtualFault(.stalled, fromFrame: 3))
        try await stage.run {
            await stage.session.need(.listening)
            await stage.hearFirst()
            await stage.hear(2)
            let last = stage.clock.now()
            await stage.clock.run(until: last + .milliseconds(450), sleepers: 2)
            stage.clock.advance(to: last + .milliseconds(500))
            await stage.states.wait { $0.contains(.stalled) }
            stage.microphone.faults.clear()
            // The stream that ends may take one period more, and the wait before the next one begins when it has ended.
            let wait = SoundPolicy().firstRetry + SoundStage.period
            await stage.clock.run(until: last + .milliseconds(500) + wait)
            await stage.hearFirst()
            #expect(await stage.session.condition.counters.stalls == 1)
        }
        #expect(stage.states.value.starts(with: [.starting, .running, .stalled, .running]))
    }

    @Test("Who listens late gets old sound, or is not told what was lost")
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
