/// The format of a microphone: interleaved samples of 16 bits, signed, little-endian on the wire and in files.
public struct AudioFormat: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Nominal frames per second. A frame is one sample of each channel. The microphone's clock delivers slightly more or fewer.
    public var sampleRate: Int
    public var channels: Int

    /// The values to which a microphone can be configured.
    public static let sampleRates = 8000...192_000
    public static let channelCounts = 1...8

    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// The nominal time between frames, in nanoseconds.
    public var nanosecondsPerFrame: Double { 1e9 / Double(max(sampleRate, 1)) }

    /// Returns the nominal duration of `count` frames.
    public func duration(ofFrames count: Int) -> Duration {
        .nanoseconds(Int64(clampingRounded: Double(count) * nanosecondsPerFrame))
    }

    public var description: String { "s16 \(sampleRate) Hz \(channels) channel\(channels == 1 ? "" : "s")" }
}
