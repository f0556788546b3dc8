package import CaptureModel
public import FaultPoints
import Movies
import PosixSupport
import Sound

/// The sound of a recording, half a second at a time, on the rig's time line. The drift of the microphone's clock is
/// removed from each chunk, so that sound and picture stay together however long the movie is.
struct MovieSoundTrack: Sendable {
    /// The sound of one chunk, and the number of its first sample from T.
    struct Chunk: Sendable {
        var samples: [UInt8]
        var position: Int64
    }

    /// The time that sound may take to arrive. With a chunk, the sound is three quarters of a second behind the frames.
    /// The recorder assumes that sound a second behind will not arrive.
    static let delay: Int64 = 250_000_000
    private static let longestChunk: Int64 = 500_000_000

    let format: RecordingFormat.Sound
    private let source: any ClipSoundSource
    /// T, where the sound begins.
    private let begin: RigTime
    private let rigClock: any RigTimeSource
    /// Nanoseconds from T to the end of the returned sound.
    private var end: Int64 = 0

    /// - Returns: nil if there is no sound.
    init?(_ source: any ClipSoundSource, from begin: RigTime, rigClock: any RigTimeSource) async {
        guard let start = rigClock.localTime(at: begin),
            let sound = await source.clipSound(in: start...start + .milliseconds(100)).sound
        else { return nil }
        format = RecordingFormat.Sound(sampleRate: sound.sampleRate, channelCount: sound.channelCount)
        self.source = source
        self.begin = begin
        self.rigClock = rigClock
    }

    /// Returns the next half second, or at the end the remainder, in nanoseconds after T.
    /// - Returns: nil if it is too early.
    mutating func advance(until limit: Int64, isLast: Bool) -> Range<Int64>? {
        let next = min(end + Self.longestChunk, limit)
        guard next > end, isLast || next - end == Self.longestChunk else { return nil }
        defer { end = next }
        return end..<next
    }

    /// Returns the sound of a range; silence if the microphone provided none.
    func sound(of stretch: Range<Int64>) async -> Chunk {
        let (first, last) = (sample(at: stretch.lowerBound), sample(at: stretch.upperBound))
        guard let from = rigClock.localTime(at: begin + .nanoseconds(stretch.lowerBound)),
            let to = rigClock.localTime(at: begin + .nanoseconds(stretch.upperBound)), to > from,
            let sound = await source.clipSound(in: from...to).sound, sound.sampleRate == format.sampleRate,
            sound.channelCount == format.channelCount
        else {
            // One sample at the end makes the recorder fill in, and count, what is missing before it.
            return Chunk(samples: [UInt8](repeating: 0, count: frameSize), position: max(last - 1, first))
        }
        return Chunk(samples: fitted(sound.samples, to: Int(last - first)), position: first)
    }

    private var frameSize: Int { 2 * format.channelCount }

    private func sample(at nanoseconds: Int64) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * Int64(format.sampleRate) + rest * Int64(format.sampleRate) / 1_000_000_000
    }

    /// Returns the nearest samples. At 50 ppm, one or two samples of half a second are left out or repeated.
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

/// The points at which the recording of a camera waits.
public enum MovieFault: String, TaskFaultPoint {
    /// The capture is fired, but the first frame at or after T has not arrived.
    case firstFrame = "movie.wait.firstFrame"
    /// A movie is durably owed, but nothing of it is recorded.
    case owed = "movie.wait.owed"
    /// A frame is about to be written.
    case frame = "movie.wait.frame"
    /// The last frame is written, but the movie is not finished.
    case ended = "movie.wait.ended"
    /// The movie is part of its capture, but nobody has been informed.
    case settled = "movie.wait.settled"
    /// A recording of an earlier run is about to be finished.
    case leftover = "movie.wait.leftover"
}

/// A frame on its way to the disk.
package struct RecordableFrame: Sendable {
    /// The driver's sequence number.
    package var sequence: UInt64
    /// Mid-exposure on the rig's time line.
    package var time: BoundedRigTime
    package var exposure: Duration?
    /// Gain in the units of the camera's control.
    package var gain: Int64?
    /// nil: no transaction has made them.
    package var settings: FrameSettings?
    /// A complete image.
    package var jpeg: [UInt8]

    package init(
        sequence: UInt64, time: BoundedRigTime, exposure: Duration?, gain: Int64?, settings: FrameSettings? = nil,
        jpeg: [UInt8]
    ) {
        self.sequence = sequence
        self.time = time
        self.exposure = exposure
        self.gain = gain
        self.settings = settings
        self.jpeg = jpeg
    }
}

/// The frames of a recording on their way from its session to its writer: first in, first out, bounded by number and by
/// bytes. A frame that does not fit is refused, so that a slow disk costs frames, which are counted, and no memory.
package struct RecordableFrames: Sendable {
    /// The largest number of waiting frames: four seconds at 30 frames per second.
    package static let mostFrames = 120

    private let stream: AsyncStream<RecordableFrame>
    private let continuation: AsyncStream<RecordableFrame>.Continuation
    private let byteLimit: Int
    private let waitingBytes = Locked(0)

    /// - Parameter byteLimit: Limit on the bytes of waiting pictures. One picture may always wait.
    package init(byteLimit: Int) {
        self.byteLimit = byteLimit
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostFrames))
    }

    /// Offers a frame.
    /// - Returns: Whether it was accepted.
    package func offer(_ frame: RecordableFrame) -> Bool {
        let count = frame.jpeg.count
        let fits = waitingBytes.withLock { waiting in
            guard waiting == 0 || waiting + count <= byteLimit else { return false }
            waiting += count
            return true
        }
        guard fits else { return false }
        guard case .enqueued = continuation.yield(frame) else {
            leave(count)
            return false
        }
        return true
    }

    /// Ends the sequence of frames.
    package func finish() { continuation.finish() }

    /// Calls `body` with each frame until there are no more, or until it returns a value.
    package func forEach<Failure: Error, Result>(
        _ body: (RecordableFrame) async throws(Failure) -> Result?
    ) async throws(Failure) -> Result? {
        for await frame in stream {
            leave(frame.jpeg.count)
            if let result = try await body(frame) { return result }
        }
        return nil
    }

    private func leave(_ count: Int) { waitingBytes.withLock { $0 -= count } }
}

/// The files of a continuing recording on their way from its writer to its finisher: how many of them are complete, and
/// the size of those that are not in the spool yet. The files wait on the disk, not here.
package struct SegmentQueue: Sendable {
    /// The number of the last complete file, whenever it has risen. Ends when no more frames are written.
    package let closed: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation
    private let byteCounts = Locked<[Int: Int64]>([:])

    init() {
        (closed, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes bytes written to a file.
    func add(_ byteCount: Int64, to segment: Int) {
        byteCounts.withLock { $0[segment, default: 0] += byteCount }
    }

    /// Notes that the files up to this one are complete.
    func close(through segment: Int) { continuation.yield(segment) }

    /// Notes that no more files will be closed while the recording continues.
    func finish() { continuation.finish() }

    /// Notes that the files before this one are in the spool, or given up.
    package func forget(before segment: SegmentNumber) {
        byteCounts.withLock { $0 = $0.filter { $0.key >= segment.value } }
    }

    /// Bytes of the files that are not in the spool.
    var byteCount: Int64 { byteCounts.withLock { $0.values.reduce(0, +) } }
}
