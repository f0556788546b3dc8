public import CaptureModel

/// A stretch of sound as it left the microphone, with its stamps. A *frame* is one sample of every channel.
public struct AudioBuffer: Hashable, Sendable {
    /// Signed, interleaved.
    public var samples: [Int16]
    public var format: AudioFormat
    /// When the first frame was taken, on this machine's clock.
    public var firstFrame: LocalTime
    /// Largest error of `firstFrame`, as far as driver and configuration tell.
    public var stampBound: Duration
    /// Number of the first frame since the stream began, those counted that were lost.
    public var position: UInt64
    /// Frames lost just before the first one, by an overrun of the device; 0 where it follows the buffer before.
    public var lostFrames: UInt64

    public init(
        samples: [Int16], format: AudioFormat, firstFrame: LocalTime, stampBound: Duration, position: UInt64,
        lostFrames: UInt64 = 0
    ) {
        self.samples = samples
        self.format = format
        self.firstFrame = firstFrame
        self.stampBound = stampBound
        self.position = position
        self.lostFrames = lostFrames
    }

    public var frameCount: Int { samples.count / max(format.channels, 1) }

    /// When the frame after the last one is due, by the nominal rate.
    public var end: LocalTime { firstFrame + format.duration(ofFrames: frameCount) }
}
