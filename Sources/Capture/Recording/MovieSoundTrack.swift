import CaptureModel
import Movies
import Sound

/// The sound of a recording, half a second at a time, on the rig's time line: what a microphone's clock is off by is taken out
/// of each stretch, so that sound and picture stay together however long the movie is.
struct MovieSoundTrack: Sendable {
    /// Sound of one stretch, and the number of its first sample from T on.
    struct Chunk: Sendable {
        var samples: [UInt8]
        var position: Int64
    }

    /// So long sound may take to come. With a chunk it makes three quarters of a second by which the sound is behind the frames:
    /// of what is a second behind, the recorder takes that it will not come.
    static let delay: Int64 = 250_000_000
    private static let longestChunk: Int64 = 500_000_000

    let format: RecordingFormat.Sound
    private let source: any ClipSoundSource
    /// T: where the sound begins.
    private let begin: RigTime
    private let rigClock: any RigTimeSource
    /// Nanoseconds from T to where the sound has come.
    private var end: Int64 = 0

    /// - Returns: nil where no sound comes.
    init?(_ source: any ClipSoundSource, from begin: RigTime, rigClock: any RigTimeSource) async {
        guard let start = rigClock.localTime(at: begin),
            let sound = await source.clipSound(in: start...start + .milliseconds(100)).sound
        else { return nil }
        format = RecordingFormat.Sound(sampleRate: sound.sampleRate, channelCount: sound.channelCount)
        self.source = source
        self.begin = begin
        self.rigClock = rigClock
    }

    /// The next half second, or at the end what is left, nanoseconds after T.
    /// - Returns: nil where it is not yet time.
    mutating func advance(until limit: Int64, isLast: Bool) -> Range<Int64>? {
        let next = min(end + Self.longestChunk, limit)
        guard next > end, isLast || next - end == Self.longestChunk else { return nil }
        defer { end = next }
        return end..<next
    }

    /// The sound of a stretch; silence where the microphone gave nothing.
    func sound(of stretch: Range<Int64>) async -> Chunk {
        let (first, last) = (sample(at: stretch.lowerBound), sample(at: stretch.upperBound))
        guard let from = rigClock.localTime(at: begin + .nanoseconds(stretch.lowerBound)),
            let to = rigClock.localTime(at: begin + .nanoseconds(stretch.upperBound)), to > from,
            let sound = await source.clipSound(in: from...to).sound, sound.sampleRate == format.sampleRate,
            sound.channelCount == format.channelCount
        else {
            // One sample where the sound ends has the recorder fill, and count, what is missing before it.
            return Chunk(samples: [UInt8](repeating: 0, count: frameSize), position: max(last - 1, first))
        }
        return Chunk(samples: fitted(sound.samples, to: Int(last - first)), position: first)
    }

    private var frameSize: Int { 2 * format.channelCount }

    private func sample(at nanoseconds: Int64) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * Int64(format.sampleRate) + rest * Int64(format.sampleRate) / 1_000_000_000
    }

    /// The nearest samples: of half a second at 50 ppm, one or two are left out or repeated.
    private func fitted(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        let present = bytes.count / frameSize
        guard present != count, present > 0 else { return bytes }
        var fitted: [UInt8] = []
        fitted.reserveCapacity(count * frameSize)
        for index in 0..<count {
            let start = index * present / count * frameSize
            fitted += bytes[start..<start + frameSize]
        }
        return fitted
    }
}
