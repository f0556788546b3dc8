/// The properties of a capture, reported before it happens, after AVFoundation's `AVCaptureResolvedPhotoSettings`.
public struct ResolvedPhotoSettings: Hashable, Sendable {
    /// Width and height of the still in pixels, before its orientation is applied.
    public var width: Int
    public var height: Int
    /// The format of the camera's stream.
    public var streamFormat: VideoFormat
    /// Whether the still is the camera's JPEG bytes. Otherwise, the node encodes it once.
    public var isCameraEncoded: Bool
    public var orientation: Orientation
    /// Whether left and right are exchanged in the upright picture; nil means no.
    public var mirrored: Bool?
    /// Size of the thumbnail in the still's EXIF data; nil if none was requested.
    public var thumbnail: PixelSize?
    /// Size of the preview; nil if none was requested.
    public var preview: PixelSize?
    /// Whether the camera's light is on for it; nil if the request does not say.
    public var isFlashUsed: Bool?
    /// The number of pictures in the bracket; nil if none was requested.
    public var bracketCount: Int?
    /// The format for which the camera leaves its stream, so that the still can be larger. Such a still is not from the
    /// ring, and interrupts the stream. nil if the still is a frame of the stream.
    public var photoFormat: VideoFormat?
    /// The longest expected interruption of the stream, in nanoseconds; present together with `photoFormat`.
    public var expectedGapNanoseconds: Int64?
    /// The companion clip; nil if there will be none.
    public var livePhoto: LivePhotoMovie?
    /// Sentences that say why there is no clip, or what it will lack, if a clip was requested; nil if there is nothing to say.
    public var livePhotoNote: String?
    /// The raw file; nil if there will be none.
    public var raw: ResolvedRawPhoto?
    /// Why there will be no raw file, if one was requested with ``RawPhoto/withPhotoWhereEnabled``.
    public var rawProblem: CaptureProblem?
    /// The coding of the still in addition to JPEG; nil if none was requested.
    public var codec: PhotoCodec?
    /// The movie; nil if a photo is taken.
    public var movie: ResolvedMovie?

    public init(
        width: Int, height: Int, streamFormat: VideoFormat, isCameraEncoded: Bool, orientation: Orientation,
        mirrored: Bool? = nil, thumbnail: PixelSize? = nil, preview: PixelSize? = nil, isFlashUsed: Bool? = nil,
        bracketCount: Int? = nil, photoFormat: VideoFormat? = nil, expectedGapNanoseconds: Int64? = nil,
        livePhoto: LivePhotoMovie? = nil, livePhotoNote: String? = nil,
        raw: ResolvedRawPhoto? = nil, rawProblem: CaptureProblem? = nil, codec: PhotoCodec? = nil,
        movie: ResolvedMovie? = nil
    ) {
        self.width = width
        self.height = height
        self.streamFormat = streamFormat
        self.isCameraEncoded = isCameraEncoded
        self.orientation = orientation
        self.mirrored = mirrored
        self.thumbnail = thumbnail
        self.preview = preview
        self.isFlashUsed = isFlashUsed
        self.bracketCount = bracketCount
        self.photoFormat = photoFormat
        self.expectedGapNanoseconds = expectedGapNanoseconds
        self.livePhoto = livePhoto
        self.livePhotoNote = livePhotoNote
        self.raw = raw
        self.rawProblem = rawProblem
        self.codec = codec
        self.movie = movie
    }

    /// Whether files of the capture are encoded after it was stored.
    public var isProcessedLater: Bool { codec == .heic || livePhoto?.isProcessedLater == true }
}

/// The largest stills of a device that are enabled, beyond the frames of its stream. The level "enabled" is between
/// "supported" by the device and "requested" by ``PhotoSettings/maxPhotoDimensions``.
public enum MaxPhotoDimensions: Hashable, Codable, Sendable, CustomStringConvertible {
    /// As large as the device offers.
    case largest
    /// Neither wider nor higher than this.
    case limit(PixelSize)

    /// Returns whether a still of this size is enabled.
    public func allows(_ size: PixelSize) -> Bool {
        switch self {
        case .largest: true
        case .limit(let limit): size.width <= limit.width && size.height <= limit.height
        }
    }

    /// The limit; nil if there is none.
    public var limit: PixelSize? {
        switch self {
        case .largest: nil
        case .limit(let limit): limit
        }
    }

    /// The form used in the configuration: `largest` or `2560x1440`.
    public var description: String { limit?.description ?? "largest" }
}

/// Width and height of a picture in pixels, as stored, before its orientation is applied.
public struct PixelSize: Hashable, Codable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Parses a size such as `1280x720`; nil for any other text, and for sides outside of 1 to 65 535.
    public init?(_ text: some StringProtocol) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], (1...65_535).contains(width),
            (1...65_535).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// The number of pixels.
    public var pixelCount: Int { width.multipliedReportingOverflow(by: height).partialValue }

    public var description: String { "\(width)x\(height)" }
}

/// The files of a capture that hold the sensor's samples, all of one exposure.
public enum RawPhoto: String, Hashable, Codable, Sendable, CaseIterable {
    /// The samples without a photo.
    case only
    /// The samples, and the photo that is developed from them.
    case withPhoto
    /// The same from cameras that have RAW enabled. The others take the photo only.
    case withPhotoWhereEnabled
}

/// The picture in a raw file, for programs that do not develop it, after AVFoundation's `rawEmbeddedThumbnailPhotoFormat`.
public struct RawThumbnailFormat: Hashable, Sendable {
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

    /// The longer sides that may be requested, in pixels.
    public static let longerSides = 16...4096
    /// Enough to judge a picture.
    public static let defaultLongerSide = 1024
}

/// How a camera's raw mosaic is used, and the meaning of its samples: the level "enabled", above "requested" by
/// ``PhotoSettings/raw``. A value that is nil is taken from the pixel format, or is that of an unknown camera.
public struct RawSettings: Hashable, Sendable {
    /// Whether shots may request the samples. A photo is developed from a mosaic in both cases.
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

/// The raw file of a capture, as announced before T.
public struct ResolvedRawPhoto: Hashable, Sendable {
    /// The samples in the file, one per pixel.
    public var dimensions: PixelSize
    /// Significant bits of a sample.
    public var bits: Int
    /// Size of the JPEG inside the file, for programs that do not develop it; nil if there is none.
    public var embeddedThumbnail: PixelSize?

    public init(dimensions: PixelSize, bits: Int, embeddedThumbnail: PixelSize?) {
        self.dimensions = dimensions
        self.bits = bits
        self.embeddedThumbnail = embeddedThumbnail
    }
}
