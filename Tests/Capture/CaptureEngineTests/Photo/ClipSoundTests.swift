import CaptureModel
import CaptureTestSupport
import Movies
import PosixSupport
import Sound
import Spool
import Testing

@testable import CaptureEngine

/// What a Live Photo's clip is told to sound like, and does.
@Suite(.timeLimit(.minutes(10))) struct ClipSoundTests {
    private let writer = ClipRecorder()
    private let live = PhotoSettings(livePhoto: .whereEnabled)

    @Test("Gives a clip the sound of its own time, or says that there is none")
    func sound() async throws {
        let tone = Tone()
        let stage = try Stage(clipWriter: writer, clipSound: tone)
        try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: live))
            await stage.pass(.milliseconds(1700))
            _ = await events.steps()
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.resolved.livePhoto?.hasSound == true && report.resolved.livePhotoNote == nil)
            let timing = try #require(report.clip)
            #expect(
                tone.asked.value == [timing.localStart...timing.localStart + .nanoseconds(timing.durationNanoseconds)])
            #expect(writer.written.value.last?.movie.sound == Tone.sound)
            tone.trouble.withLock { $0 = "its microphone is unplugged" }
            let silent = await stage.session.arm(stage.order(stage.now, shot: 2, settings: live)).value
            #expect(silent?.livePhoto?.hasSound == false)
            #expect(silent?.livePhotoNote == "the clip is silent: its microphone is unplugged")
        }
    }

    @Test("Marks the silence of a microphone that fails after its announcement")
    func silence() async throws {
        let tone = Tone()
        let stage = try Stage(clipWriter: writer, clipSound: tone)
        try await stage.run {
            await stage.start(frames: 60)
            let silences = [
                ClipSilence(startNanoseconds: 1_000_000_000, durationNanoseconds: 2_000_000_000, cause: .notOpen)
            ]
            for (shot, sound) in [Tone.sound, nil].enumerated() {
                tone.heard.change { $0 = ClipSound(sound: sound, silences: silences) }
                let order = stage.order(stage.now, shot: Int64(shot), settings: live)
                let events = try await stage.session.capturePhoto(order)
                await stage.pass(.milliseconds(1700))
                _ = await events.steps()
                let report = try #require(await stage.spool.report(of: events.id))
                #expect(report.resolved.livePhoto?.hasSound == true)
                #expect(report.clip?.silences == silences)
                #expect(writer.written.value.last?.movie.sound == sound)
            }
        }
    }

    @Test("Marks the rest as silent beyond the number of gaps that a report can name")
    func manySilences() {
        let silences = (0..<40).map {
            ClipSilence(startNanoseconds: $0 * 1000, durationNanoseconds: 10, cause: .overrun)
        }
        let sound = ClipSound(sound: nil, silences: silences)
        #expect(sound.silences.count == ClipSilence.limit && sound.silences.dropLast() == silences.prefix(31))
        #expect(sound.silences.last?.startNanoseconds == 31_000 && sound.silences.last?.durationNanoseconds == 8010)
        #expect(ClipSound(sound: nil, silences: Array(silences.prefix(32))).silences == Array(silences.prefix(32)))
    }

    @Test("Reserves room in the spool for the sound of a clip")
    func roomForSound() async throws {
        let tone = Tone()
        let stage = try Stage(clipWriter: writer, clipSound: tone)
        try await stage.run {
            await stage.start(frames: 60)
            tone.trouble.withLock { $0 = "its microphone is unplugged" }
            _ = try await stage.session.arm(stage.order(stage.now, settings: live)).get()
            let silent = await stage.spool.usage().reservedBytes
            tone.trouble.withLock { $0 = nil }
            _ = try await stage.session.arm(stage.order(stage.now, shot: 2, settings: live)).get()
            let both = await stage.spool.usage().reservedBytes
            #expect(both - 2 * silent >= 2_900 * 96)
        }
    }
}
