/// What is made of a camera's raw mosaic: the level "enabled", above "requested" by ``PhotoSettings/raw``, and what the
/// samples mean. What is nil is taken from the pixel format, or is that of a camera of which nothing is known.
public struct RawSettings: Hashable, Sendable {
    /// Whether shots may ask for the samples. A photo is developed of a mosaic either way.
    public var isEnabled: Bool
    public var compression: RawCompression
    /// The matrix that takes XYZ to the camera's linear red, green and blue in daylight of 6500 K, row by row: 9 numbers.
    public var colorMatrix: [Double]?
    /// What the camera says of a neutral surface, red, green and blue: 3 positive numbers.
    public var asShotNeutral: [Double]?
    /// The sample of no light; 0 where nil.
    public var blackLevel: UInt16?
    /// The sample at which the sensor saturates; the largest of the pixel format where nil.
    public var whiteLevel: UInt16?

    public init(
        isEnabled: Bool = false, compression: RawCompression = .lossless, colorMatrix: [Double]? = nil,
        asShotNeutral: [Double]? = nil, blackLevel: UInt16? = nil, whiteLevel: UInt16? = nil
    ) {
        self.isEnabled = isEnabled
        self.compression = compression
        self.colorMatrix = colorMatrix
        self.asShotNeutral = asShotNeutral
        self.blackLevel = blackLevel
        self.whiteLevel = whiteLevel
    }
}

/// How a raw file keeps its samples.
public enum RawCompression: String, Hashable, Sendable, CaseIterable {
    /// Lossless JPEG.
    case lossless
    /// As they are.
    case none
}
