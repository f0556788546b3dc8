/// Samples read at once.
public struct PCMBlock: Hashable, Sendable {
    /// Signed, interleaved.
    public var samples: [Int16]
    /// When the first frame was taken: nanoseconds of `CLOCK_MONOTONIC`.
    public var firstFrameNanoseconds: Int64
    /// Whether that follows from the driver's stamp (`snd_pcm_htimestamp`); otherwise from the time of the read.
    public var hasDriverStamp: Bool
    /// Number of the first frame since the device was started, those counted that were lost.
    public var position: UInt64
    /// Frames lost to overruns just before the first one, by the stamps.
    public var lostFrames: UInt64

    public init(
        samples: [Int16], firstFrameNanoseconds: Int64, hasDriverStamp: Bool, position: UInt64, lostFrames: UInt64
    ) {
        self.samples = samples
        self.firstFrameNanoseconds = firstFrameNanoseconds
        self.hasDriverStamp = hasDriverStamp
        self.position = position
        self.lostFrames = lostFrames
    }
}
