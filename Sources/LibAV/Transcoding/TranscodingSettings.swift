/// How pictures are coded as H.264.
public struct TranscodingSettings: Hashable, Sendable {
    /// x264's names for how much processor time goes into smaller files.
    public enum Preset: String, Hashable, Sendable, CaseIterable {
        case ultrafast, superfast, veryfast, faster, fast, medium
    }

    public var preset: Preset
    /// x264's constant rate factor, 0...51: lower is better and larger; 18 looks like the original.
    public var rateFactor: Int
    /// Threads that encode; 0: as many as there are processors.
    public var threadCount: Int
    /// Bits a second of each channel of AAC.
    public var bitsPerSecondOfSound: Int

    public init(
        preset: Preset = .veryfast, rateFactor: Int = 20, threadCount: Int = 0, bitsPerSecondOfSound: Int = 96_000
    ) {
        self.preset = preset
        self.rateFactor = rateFactor
        self.threadCount = threadCount
        self.bitsPerSecondOfSound = bitsPerSecondOfSound
    }
}
