/// What a shot asks of every camera, after AVFoundation's `AVCapturePhotoSettings`.
///
/// A shot's id takes the place of `uniqueID`: the same id with the same settings is the same shot. What is nil is not
/// asked for. What a camera cannot do is refused before T, never left out.
public struct PhotoSettings: Hashable, Sendable {
    /// Encoder quality, 1 to 100, for cameras whose frames the node encodes; nil leaves it to the node. It has no
    /// effect on cameras that deliver JPEG, whose own bytes are kept.
    public var quality: Int?
    /// Whether the still carries a thumbnail in its EXIF data, and which part of the picture it shows.
    public var embedThumbnail: ThumbnailShape?
    /// The longer side, in pixels, that a preview may have at most; then the capture has a file ``AssetKind/preview``
    /// too.
    public var previewSize: Int?
    /// Whether the capture is lit; nil leaves the light as it stands.
    public var flash: FlashMode?
    /// One picture for each step, one after the other, the first at T; 1 to ``longestBracket`` steps.
    public var bracket: [BracketStep]?
    /// The largest size the still may have, larger than the frames of the stream: the camera then leaves its stream for
    /// the largest size it offers within this. The resolved settings say which. With nil, and where it is the stream's own
    /// size, the still is a frame of the stream.
    public var maxPhotoDimensions: PixelSize?
    /// Whether the capture has a companion clip, a file ``AssetKind/pairedVideo``; nil for none.
    public var livePhoto: LivePhotoRequest?
    /// How its pictures are coded; nil means as the camera gave them.
    public var clipCodec: ClipCodec?
    /// Whether captures with a clip have a file ``AssetKind/motionPhoto`` too; nil means no.
    public var motionPhoto: Bool?
    /// Whether the sensor's own samples are stored, as a file ``AssetKind/alternatePhoto``; `only` and `withPhoto` refuse a
    /// camera that has none.
    public var raw: RawPhoto?
    /// With ``PhotoCodec/heic`` the capture has a file ``AssetKind/photoHEIC`` too, which comes later; nil means JPEG alone.
    public var codec: PhotoCodec?
    /// Has the cameras record from T on instead of taking a photo: the shot is a take then, and nothing else is asked for.
    public var movie: MovieSettings?

    public init(
        quality: Int? = nil, embedThumbnail: ThumbnailShape? = nil, previewSize: Int? = nil, flash: FlashMode? = nil,
        bracket: [BracketStep]? = nil, maxPhotoDimensions: PixelSize? = nil, livePhoto: LivePhotoRequest? = nil,
        clipCodec: ClipCodec? = nil, motionPhoto: Bool? = nil, raw: RawPhoto? = nil, codec: PhotoCodec? = nil,
        movie: MovieSettings? = nil
    ) {
        self.quality = quality
        self.embedThumbnail = embedThumbnail
        self.previewSize = previewSize
        self.flash = flash
        self.bracket = bracket
        self.maxPhotoDimensions = maxPhotoDimensions
        self.livePhoto = livePhoto
        self.clipCodec = clipCodec
        self.motionPhoto = motionPhoto
        self.raw = raw
        self.codec = codec
        self.movie = movie
    }

    /// The longer side of a preview where nothing else is said, in pixels.
    public static let defaultPreviewSize = 320

    /// The longer sides that a preview may be asked for, in pixels.
    public static let previewSizes = 16...4096

    /// The most steps a bracket has.
    public static let longestBracket = AssetKind.stills.count

    /// Whether the camera is set for the capture, which takes time before T.
    public var needsPreparation: Bool { flash == .on || flash == .auto || bracket?.isEmpty == false }

    /// The files that every capture with these settings has, in the order in which they are made. A clip that is only asked
    /// for where it is enabled joins them when the camera's resolved settings announce it.
    public var assetKinds: [AssetKind] { assetKinds(hasRaw: raw == .only || raw == .withPhoto) }

    /// The same for one camera.
    /// - Parameter hasRaw: Whether the capture has a raw file, where that depends on the camera.
    public func assetKinds(hasRaw: Bool) -> [AssetKind] {
        guard movie == nil else { return AssetKind.ofMovie }
        let stills = raw == .only ? [] : Array(AssetKind.stills.prefix(max(bracket?.count ?? 1, 1)))
        return stills + (hasRaw ? [.alternatePhoto] : []) + (previewSize == nil ? [] : [.preview])
            + (codec == .heic ? [.photoHEIC] : []) + (livePhoto == .required ? clipKinds : [])
    }

    /// The files that a capture has more where it has a clip.
    public var clipKinds: [AssetKind] { motionPhoto == true ? [.pairedVideo, .motionPhoto] : [.pairedVideo] }

    /// Whether something of a clip is encoded on the node.
    public var needsClipEncoder: Bool { livePhoto != nil && (clipCodec == .h264 || motionPhoto == true) }
}
