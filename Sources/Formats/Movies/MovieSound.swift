/// Sound that goes with a clip: signed samples of 16 bits, little-endian, channels interleaved.
public struct MovieSound: Hashable, Sendable {
    /// The samples; the first one sounds at the clip's start. A last incomplete one is left out.
    public var samples: [UInt8]
    /// Samples of one channel in a second, hertz.
    public var sampleRate: Int
    /// Number of channels, 1 to 8.
    public var channelCount: Int

    /// Takes samples as they are; what cannot be is said when they are written.
    public init(samples: [UInt8], sampleRate: Int, channelCount: Int) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }
}
