/// What a capture device is asked for.
public struct PCMWish: Hashable, Sendable {
    /// Frames a second, exactly; nil takes the rate nearest to ``preferredRate``.
    public var rate: Int?
    /// Channels, exactly; nil takes the number nearest to ``preferredChannels``.
    public var channels: Int?
    /// How much is read at a time, nearly.
    public var periodMicroseconds: Int
    /// How much the device holds for a reader that is late, nearly.
    public var bufferMicroseconds: Int

    /// The rate that sound for video has.
    public static let preferredRate = 48_000
    public static let preferredChannels = 1

    public init(
        rate: Int? = nil, channels: Int? = nil, periodMicroseconds: Int = 10_000, bufferMicroseconds: Int = 500_000
    ) {
        self.rate = rate
        self.channels = channels
        self.periodMicroseconds = periodMicroseconds
        self.bufferMicroseconds = bufferMicroseconds
    }
}
