import CameraKit
import CaptureModel

@testable import Sound

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
