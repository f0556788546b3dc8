package import CameraKit
import CaptureModel

/// A piece of sound as one message carries it.
package struct SoundChunk: Hashable, Sendable {
    package var buffer: AudioBuffer
    /// Number of frames between the previous chunk and this one that no chunk contains.
    package var missingFrames: UInt64
    /// Whether nothing is known about what preceded the chunk.
    package var beginsRun: Bool
}

/// Combines a microphone's buffers, of 10 or 20 ms, into chunks of 100 ms, because a listener's queue holds two
/// messages.
///
/// | buffer | result |
/// |---|---|
/// | follows directly | becomes part of the chunk, which is complete when it has ``length`` |
/// | follows after a gap | begins a separate chunk; the previous one is complete, and the frames between are reported as missing |
/// | of another stream: earlier position, other format, or a stamp that does not match its position | as above, but begins a separate run |
package struct SoundChunker: Sendable {
    static let length = Duration.milliseconds(100)
    /// How far a stamp may be from the instant that the previous buffer and the frame count predict.
    private static let longestStep = Duration.milliseconds(500)

    private var open: SoundChunk?
    private var last: AudioBuffer?

    package init() {}

    /// - Returns: The chunks that are complete with this buffer, at most two.
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

    /// Returns the number of frames between the last buffer and this one; nil if they are not from one stream.
    private func missing(before buffer: AudioBuffer) -> UInt64? {
        guard let last, last.format == buffer.format else { return nil }
        let end = last.position &+ UInt64(last.frameCount)
        guard buffer.position >= end, let count = Int(exactly: buffer.position - end) else { return nil }
        let expected = last.end + last.format.duration(ofFrames: min(count, 1 << 40))
        let step = buffer.firstFrame - expected
        return step < Self.longestStep && step > .zero - Self.longestStep ? UInt64(count) : nil
    }
}
