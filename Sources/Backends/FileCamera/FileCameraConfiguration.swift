/// Which recording a file camera plays, and how. The names are the keys in YAML.
public struct FileCameraConfiguration: Hashable, Sendable {
    /// A folder of JPEG images, or one file of JPEG images one after another.
    public var path: String
    /// Images per second, unless the format request names another rate.
    public var framesPerSecond: Double
    /// Whether it starts again after its last image; otherwise the stream ends there.
    public var loop: Bool
    /// Where the frames lie: frame `k` is delivered at `phase + k · interval` of this machine's `CLOCK_MONOTONIC`.
    public var phaseMilliseconds: Double

    public init(
        path: String, framesPerSecond: Double = 30, loop: Bool = true, phaseMilliseconds: Double = 0
    ) {
        self.path = path
        self.framesPerSecond = framesPerSecond
        self.loop = loop
        self.phaseMilliseconds = phaseMilliseconds
    }

    /// What would keep a camera of this configuration from starting, and which values are right; nil when it is sound.
    public var problem: String? {
        if path.isEmpty { return "path: names no folder or file" }
        if !FileCameraLimits.framesPerSecond.contains(framesPerSecond) {
            return "framesPerSecond: \(framesPerSecond) is not within \(FileCameraLimits.framesPerSecond)"
        }
        if !FileCameraLimits.phaseMilliseconds.contains(phaseMilliseconds) {
            return "phaseMilliseconds: \(phaseMilliseconds) is not within \(FileCameraLimits.phaseMilliseconds)"
        }
        return nil
    }
}

/// What a file camera can be asked for.
public enum FileCameraLimits {
    public static let framesPerSecond = 0.01...1000.0
    public static let phaseMilliseconds = -3_600_000.0...3_600_000.0
    /// The most images of one recording: nine hours at 30 a second. Their index takes 24 bytes each.
    public static let imageCount = 1_000_000
    /// The most bytes of one image.
    public static let imageByteCount = 64 << 20
}
