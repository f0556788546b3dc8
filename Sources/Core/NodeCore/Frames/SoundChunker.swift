package import CameraKit
import CaptureModel

/// A stretch of sound as one message carries it.
package struct SoundChunk: Hashable, Sendable {
    package var buffer: AudioBuffer
    /// Frames between the chunk before and this one that are in none.
    package var missingFrames: UInt64
    /// Whether nothing is known of what was before.
    package var beginsRun: Bool
}

/// Puts a microphone's buffers, of 10 or 20 ms, together to chunks of 100 ms, since a listener's queue holds two messages.
///
/// | buffer | becomes |
/// |---|---|
/// | the next one | part of the chunk, which is whole once it has ``length`` |
/// | one that comes later | a chunk of its own; the one before is whole, and what is between is told as missing |
/// | one of another stream: it comes earlier, has another format, or its stamp is not where its number says | as above, a run of its own |
package struct SoundChunker: Sendable {
    static let length = Duration.milliseconds(100)
    /// How far a stamp may be from where the frames since the one before put it.
    private static let longestStep = Duration.milliseconds(500)

    private var open: SoundChunk?
    private var last: AudioBuffer?

    package init() {}

    /// - Returns: The chunks that are whole with it, at most two.
    package mutating func add(_ buffer: AudioBuffer) -> [SoundChunk] {
        var whole: [SoundChunk] = []
        let missing = missing(before: buffer)
        if let bound = open?.buffer.stampBound, missing == 0 {
            open?.buffer.samples += buffer.samples
            open?.buffer.stampBound = max(bound, buffer.stampBound)
        } else {
            whole += [open].compactMap(\.self)
            open = SoundChunk(buffer: buffer, missingFrames: missing ?? 0, beginsRun: missing == nil)
        }
        last = buffer
        if let chunk = open, chunk.buffer.format.duration(ofFrames: chunk.buffer.frameCount) >= Self.length {
            whole.append(chunk)
            open = nil
        }
        return whole
    }

    /// Frames between the last buffer and this one; nil where they are not of one stream.
    private func missing(before buffer: AudioBuffer) -> UInt64? {
        guard let last, last.format == buffer.format else { return nil }
        let end = last.position &+ UInt64(last.frameCount)
        guard buffer.position >= end, let count = Int(exactly: buffer.position - end) else { return nil }
        let expected = last.end + last.format.duration(ofFrames: min(count, 1 << 40))
        let step = buffer.firstFrame - expected
        return step < Self.longestStep && step > .zero - Self.longestStep ? UInt64(count) : nil
    }
}
