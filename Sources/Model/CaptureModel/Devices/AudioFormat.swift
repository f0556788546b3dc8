/// The format a microphone delivers: samples of 16 bits, signed, little-endian on the wire and in files, interleaved.
public struct AudioFormat: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Nominal frames a second, a frame being one sample of each channel; the microphone's own clock makes a few more or
    /// fewer of them.
    public var sampleRate: Int
    public var channels: Int

    /// What a microphone can be configured to.
    public static let sampleRates = 8000...192_000
    public static let channelCounts = 1...8

    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Nanoseconds from one frame to the next, nominally.
    public var nanosecondsPerFrame: Double { 1e9 / Double(max(sampleRate, 1)) }

    /// How long so many frames are, nominally.
    public func duration(ofFrames count: Int) -> Duration {
        .nanoseconds(Int64(exactly: (Double(count) * nanosecondsPerFrame).rounded()) ?? .max)
    }

    public var description: String { "s16 \(sampleRate) Hz \(channels) channel\(channels == 1 ? "" : "s")" }
}
