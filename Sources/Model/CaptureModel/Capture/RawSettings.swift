/// The picture in a raw file, for programs that do not develop it, after AVFoundation's `rawEmbeddedThumbnailPhotoFormat`.
public struct RawThumbnailFormat: Hashable, Codable, Sendable {
    /// How the picture is coded.
    public enum Codec: String, Hashable, Codable, Sendable, CaseIterable {
        case jpeg
        /// There is no picture. Programs that do not develop the samples show nothing.
        case none
    }

    public var codec: Codec
    /// The most pixels on its longer side, of ``longerSides``; nil means ``defaultLongerSide``. Without a picture, it has
    /// no meaning.
    public var longerSide: Int?

    public init(codec: Codec = .jpeg, longerSide: Int? = nil) {
        self.codec = codec
        self.longerSide = longerSide
    }

    private enum CodingKeys: String, CodingKey {
        case codec = "codec"
        case longerSide = "longerSide"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        codec = try members.decode(.codec, by: decoder, usual: .jpeg)
        longerSide = try members.decodeIfPresent(Int.self, forKey: .longerSide)
    }

    /// The longer sides that may be requested, in pixels.
    public static let longerSides = 16...4096
    /// Enough to judge a picture.
    public static let defaultLongerSide = 1024
}

extension RawThumbnailFormat: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(longerSide, "longerSide", in: Self.longerSides)
        guard codec == .jpeg || longerSide == nil else {
            throw InvalidDocument("longerSide", "is that of a picture, and 'codec' is \"none\"")
        }
    }
}

/// How a camera's raw mosaic is used, and the meaning of its samples: the level "enabled", above "requested" by
/// ``PhotoSettings/raw``. A value that is nil is taken from the pixel format, or is that of an unknown camera.
public struct RawSettings: Hashable, Sendable {
    /// Whether shots may request the samples, or the raw files that the camera makes itself. A photo is developed from a mosaic in both cases.
    public var isEnabled: Bool
    public var compression: RawCompression
    /// The matrix that converts XYZ to the camera's linear red, green and blue in daylight of 6500 K, row by row: 9 numbers.
    public var colorMatrix: [Double]?
    /// The camera's red, green and blue of a neutral surface: 3 positive numbers.
    public var asShotNeutral: [Double]?
    /// The sample for no light; nil means 0.
    public var blackLevel: UInt16?
    /// The sample at which the sensor saturates; nil means the largest of the pixel format.
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

/// How a raw file stores its samples.
public enum RawCompression: String, Hashable, Sendable, CaseIterable {
    /// Lossless JPEG.
    case lossless
    /// Not compressed.
    case none
}
