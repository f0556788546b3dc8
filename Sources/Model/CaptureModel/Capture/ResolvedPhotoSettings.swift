/// What a capture will be, told before it happens, after AVFoundation's `AVCaptureResolvedPhotoSettings`.
public struct ResolvedPhotoSettings: Hashable, Sendable {
    /// Width and height of the still in pixels, before its orientation is applied.
    public var width: Int
    public var height: Int
    /// The format of the camera's stream.
    public var streamFormat: VideoFormat
    /// Whether the still is the camera's own JPEG bytes; else the node encodes it once.
    public var isCameraEncoded: Bool
    public var orientation: Orientation
    /// Whether left and right are exchanged in the upright picture; nil means no.
    public var mirrored: Bool?
    /// Size of the thumbnail in the still's EXIF data; nil where none was asked for.
    public var thumbnail: PixelSize?
    /// Size of the preview; nil where none was asked for.
    public var preview: PixelSize?
    /// Whether the camera's light is on for it; nil where nothing was said of it.
    public var isFlashUsed: Bool?
    /// How many pictures the bracket has; nil where none was asked for.
    public var bracketCount: Int?
    /// The format the camera leaves its stream for, so that the still can be larger. Such a still does not come from the
    /// ring, and the stream is interrupted for it. nil where the still is a frame of the stream.
    public var photoFormat: VideoFormat?
    /// How long the stream is away for it at most, as things are, nanoseconds; present together with `photoFormat`.
    public var expectedGapNanoseconds: Int64?
    /// The companion clip; nil where there will be none.
    public var livePhoto: LivePhotoMovie?
    /// Where a clip was asked for: why there is none, or what it will lack. Sentences; nil where nothing is to be said.
    public var livePhotoNote: String?
    /// Which raw file there will be; nil where there will be none.
    public var raw: ResolvedRawPhoto?
    /// Where a raw file was asked for with ``RawPhoto/withPhotoWhereEnabled``: why there will be none.
    public var rawProblem: CaptureProblem?
    /// How the still will be coded besides JPEG; nil where nothing else was asked for.
    public var codec: PhotoCodec?
    /// The movie; nil where a photo is taken.
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
