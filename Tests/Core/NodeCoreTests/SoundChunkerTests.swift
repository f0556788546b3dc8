import CameraKit
import CaptureModel
import Testing

@testable import NodeCore

@Suite struct SoundChunkerTests {
    private static let format = AudioFormat(sampleRate: 48_000, channels: 2)

    @Test("A listener gets sound in scraps, or too late to be live")
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

    @Test("Sound that was lost is glued over, or a microphone that was opened again passes for a gap of hours")
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

    @Test("A stamp or a number out of all bounds ends the agent")
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
