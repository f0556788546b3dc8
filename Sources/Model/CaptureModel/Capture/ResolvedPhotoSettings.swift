/// The properties of a capture, reported before it happens, after AVFoundation's `AVCaptureResolvedPhotoSettings`.
public struct ResolvedPhotoSettings: Hashable, Codable, Sendable {
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
    public var rawProblem: RigProblem?
    /// The coding of the still in addition to JPEG; nil if none was requested.
    public var codec: PhotoCodec?
    /// The movie; nil if a photo is taken.
    public var movie: ResolvedMovie?

    public init(
        width: Int, height: Int, streamFormat: VideoFormat, isCameraEncoded: Bool, orientation: Orientation,
        mirrored: Bool? = nil, thumbnail: PixelSize? = nil, preview: PixelSize? = nil, isFlashUsed: Bool? = nil,
        bracketCount: Int? = nil, photoFormat: VideoFormat? = nil, expectedGapNanoseconds: Int64? = nil,
        livePhoto: LivePhotoMovie? = nil, livePhotoNote: String? = nil,
        raw: ResolvedRawPhoto? = nil, rawProblem: RigProblem? = nil, codec: PhotoCodec? = nil,
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

    private enum CodingKeys: String, CodingKey {
        case width = "width"
        case height = "height"
        case streamFormat = "streamFormat"
        case isCameraEncoded = "isCameraEncoded"
        case orientation = "orientation"
        case mirrored = "mirrored"
        case thumbnail = "thumbnail"
        case preview = "preview"
        case isFlashUsed = "isFlashUsed"
        case bracketCount = "bracketCount"
        case photoFormat = "photoFormat"
        case expectedGapNanoseconds = "expectedGapNanoseconds"
        case livePhoto = "livePhoto"
        case livePhotoNote = "livePhotoNote"
        case raw = "raw"
        case rawProblem = "rawProblem"
        case codec = "codec"
        case movie = "movie"
    }

    /// Whether files of the capture are encoded after it was stored.
    public var isProcessedLater: Bool { codec == .heic || livePhoto?.isProcessedLater == true }
}

/// The raw file of a capture, as announced before T.
public enum ResolvedRawPhoto: Hashable, Sendable {
    /// The node makes a DNG of the sensor's samples.
    case samples(ResolvedSamples)
    /// The camera makes it. Only the file tells its format and size.
    case cameraFile

    /// The content of a DNG; nil if the node makes none.
    public var samples: ResolvedSamples? {
        if case .samples(let samples) = self { samples } else { nil }
    }
}

extension ResolvedRawPhoto: Codable {
    private enum CodingKeys: String, CodingKey {
        case isCameraFile = "isCameraFile"
    }

    public init(from decoder: any Decoder) throws {
        let isCameraFile = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(
            Bool.self, forKey: .isCameraFile)
        self = isCameraFile == true ? .cameraFile : .samples(try ResolvedSamples(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .samples(let samples): try samples.encode(to: encoder)
        case .cameraFile:
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(true, forKey: .isCameraFile)
        }
    }
}

/// The content of a DNG, as announced before T.
public struct ResolvedSamples: Hashable, Codable, Sendable {
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

    private enum CodingKeys: String, CodingKey {
        case dimensions = "dimensions"
        case bits = "bits"
        case embeddedThumbnail = "embeddedThumbnail"
    }
}
