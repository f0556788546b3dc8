import CameraKit
import CaptureModel
import Testing

@testable import Sound

@Suite struct AudioRingTests {
    private let sound = SoundBuffers()

    @Test("Drops sound older than the limit")
    func depth() {
        let ring = sound.ring(0..<100, depth: .milliseconds(200))
        #expect(ring.newest?.position == 990)
        #expect(ring.oldest?.position == 790)
        #expect(ring.byteCount == 21 * 20)
    }

    @Test("Keeps sound within its memory limit")
    func bytes() {
        var ring = AudioRing(depth: .seconds(1000), byteLimit: 100)
        ring.beginStream(SoundBuffers.format)
        let kept = (0..<50).map { ring.append(sound.buffer($0)) }
        #expect(!kept.contains(false))
        #expect(ring.byteCount == 100 && ring.oldest?.position == 450)
    }

    @Test("Gives the cause of missing sound")
    func causes() {
        var ring = AudioRing(depth: .seconds(1000), byteLimit: 1 << 20)
        ring.beginStream(SoundBuffers.format)
        ring.append(sound.buffer(0))
        ring.append(sound.buffer(1))
        ring.append(sound.buffer(4, lost: 20))
        ring.append(sound.buffer(5))
        ring.append(sound.buffer(8))
        ring.beginStream(SoundBuffers.format)
        ring.append(sound.buffer(20))
        #expect(ring.runs.map(\.cause) == [.notOpen, .overrun, .droppedByNode, .notOpen])
        #expect(ring.runs.map(\.frameCount) == [20, 20, 10, 10])
    }

    @Test("Keeps sound whose neighbor has a wrong stamp")
    func staleStamp() {
        var wrong = SoundBuffers()
        wrong.error = { $0 == 50 ? -32_000_000 : 0 }
        let ring = wrong.ring(0..<100)
        #expect(ring.runs.map(\.frameCount) == [1000])
        let clip = SoundClip(wrong.time(ofFrame: 300)...wrong.time(ofFrame: 700), ring)
        #expect(clip.samples == (300..<700).map(Int16.init) && clip.gaps.isEmpty)
    }

    @Test("Keeps sound of two formats, or with stamps that go back, apart")
    func refuses() {
        var ring = sound.ring(0..<10)
        let old = ring.append(sound.buffer(3))
        var stereo = sound.buffer(11)
        stereo.format.channels = 2
        let other = ring.append(stereo)
        #expect(!old && !other)
        ring.beginStream(stereo.format)
        #expect(ring.newest == nil)
        let first = ring.append(stereo)
        var empty = stereo
        empty.samples = []
        empty.firstFrame = empty.firstFrame + .seconds(1)
        let nothing = ring.append(empty)
        #expect(first && !nothing)
    }
}
