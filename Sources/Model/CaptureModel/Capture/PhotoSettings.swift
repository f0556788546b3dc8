/// The settings of a shot, for every camera, after AVFoundation's `AVCapturePhotoSettings`.
///
/// A shot's id replaces `uniqueID`: the same id with the same settings is the same shot. A setting that is nil is not
/// requested. A setting that a camera does not support is refused before T, never ignored.
///
/// It is a document: `docs/schema/shot-request-v1.json` describes it, wherever it is stored or sent.
public struct PhotoSettings: Hashable, Codable, Sendable {
    /// Encoder quality, 1 to 100, for cameras whose frames the node encodes; nil lets the node choose. It has no effect
    /// on cameras that deliver JPEG, because their bytes are kept.
    public var quality: Int?
    /// The part of the picture that the thumbnail in the still's EXIF data shows; nil for no thumbnail.
    public var embedThumbnail: ThumbnailShape?
    /// The most pixels on the longer side of a preview. The capture then also has a file ``AssetKind/preview``.
    public var previewSize: Int?
    /// Whether the capture is lit; nil leaves the light as it is.
    public var flash: FlashMode?
    /// One picture for each step, in sequence, the first at T; 1 to ``longestBracket`` steps.
    public var bracket: [BracketStep]?
    /// The largest size of the still, if it may be larger than the frames of the stream. The camera then leaves its
    /// stream for the largest size that it offers within this limit; the resolved settings give it. If this is nil, or
    /// if that size is the stream's, the still is a frame of the stream.
    public var maxPhotoDimensions: PixelSize?
    /// Whether the capture has a companion clip, a file ``AssetKind/pairedVideo``; nil for none.
    public var livePhoto: LivePhotoRequest?
    /// How the clip's pictures are coded; nil keeps them as the camera delivers them.
    public var clipCodec: ClipCodec?
    /// Whether captures with a clip also have a file ``AssetKind/motionPhoto``; nil means no.
    public var motionPhoto: Bool?
    /// Whether the sensor's samples are stored, as a file ``AssetKind/alternatePhoto``. `only` and `withPhoto` refuse a
    /// camera that has none.
    public var raw: RawPhoto?
    /// The picture in the raw file; nil means a JPEG of ``RawThumbnailFormat/defaultLongerSide``. Only with ``raw``.
    public var rawThumbnail: RawThumbnailFormat?
    /// The coding of the still; nil means JPEG only. With ``PhotoCodec/heic``, the capture also has a file
    /// ``AssetKind/photoHEIC``, which is made later.
    public var codec: PhotoCodec?
    /// If present, the cameras record from T instead of taking a photo. The shot is then a take, and has no other settings.
    public var movie: MovieSettings?

    public init(
        quality: Int? = nil, embedThumbnail: ThumbnailShape? = nil, previewSize: Int? = nil, flash: FlashMode? = nil,
        bracket: [BracketStep]? = nil, maxPhotoDimensions: PixelSize? = nil, livePhoto: LivePhotoRequest? = nil,
        clipCodec: ClipCodec? = nil, motionPhoto: Bool? = nil, raw: RawPhoto? = nil,
        rawThumbnail: RawThumbnailFormat? = nil, codec: PhotoCodec? = nil,
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
        self.rawThumbnail = rawThumbnail
        self.codec = codec
        self.movie = movie
    }

    private enum CodingKeys: String, CodingKey {
        case quality = "quality"
        case embedThumbnail = "embedThumbnail"
        case previewSize = "previewSize"
        case flash = "flash"
        case bracket = "bracket"
        case maxPhotoDimensions = "maxPhotoDimensions"
        case livePhoto = "livePhoto"
        case clipCodec = "clipCodec"
        case motionPhoto = "motionPhoto"
        case raw = "raw"
        case rawThumbnail = "rawThumbnail"
        case codec = "codec"
        case movie = "movie"
    }

    /// What a request without settings asks for.
    public static let usual = PhotoSettings(livePhoto: .usual)

    /// The qualities that an encoder may have.
    public static let qualities = 1...100

    /// The default longer side of a preview, in pixels.
    public static let defaultPreviewSize = 320

    /// The longer sides that a preview may have, in pixels.
    public static let previewSizes = 16...4096

    /// The most steps in a bracket.
    public static let longestBracket = AssetKind.stills.count

    /// Whether the camera is set for the capture, which needs time before T.
    public var needsPreparation: Bool { flash == .on || flash == .auto || bracket?.isEmpty == false }

    /// The files that every capture with these settings has, in the order in which they are made. A clip that is
    /// requested only from cameras that have it enabled is added when the camera's resolved settings announce it.
    public var assetKinds: [AssetKind] { assetKinds(hasRaw: raw == .only || raw == .withPhoto) }

    /// Returns the files of a capture of one camera.
    /// - Parameter hasRaw: Whether the capture has a raw file, if that depends on the camera.
    public func assetKinds(hasRaw: Bool) -> [AssetKind] {
        guard movie == nil else { return AssetKind.ofMovie }
        let stills = raw == .only ? [] : Array(AssetKind.stills.prefix(max(bracket?.count ?? 1, 1)))
        return stills + (hasRaw ? [.alternatePhoto] : []) + (previewSize == nil ? [] : [.preview])
            + (codec == .heic ? [.photoHEIC] : []) + (livePhoto == .required ? clipKinds : [])
    }

    /// The additional files of a capture with a clip.
    public var clipKinds: [AssetKind] { motionPhoto == true ? [.pairedVideo, .motionPhoto] : [.pairedVideo] }

    /// Whether the node encodes anything of a clip.
    public var needsClipEncoder: Bool { livePhoto != nil && (clipCodec == .h264 || motionPhoto == true) }
}

extension PhotoSettings: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(quality, "quality", in: Self.qualities)
        try check(previewSize, "previewSize", in: Self.previewSizes)
        try check(count: bracket?.count ?? 1, "bracket", in: 1...Self.longestBracket)
        try check(bracket ?? [], "bracket")
        try check(maxPhotoDimensions, "maxPhotoDimensions")
        try check(rawThumbnail, "rawThumbnail")
        try check(movie, "movie")
        guard movie == nil || self == PhotoSettings(movie: movie) else {
            throw InvalidDocument("movie", "excludes all other settings")
        }
        if let contradiction { throw contradiction }
    }

    /// The first setting that another one makes impossible.
    private var contradiction: InvalidDocument? {
        let rules: [(isBroken: Bool, member: String, reason: String)] = [
            (rawThumbnail != nil && raw == nil, "rawThumbnail", "is the picture in a raw file, and needs 'raw'"),
            (bracket != nil && raw != nil, "bracket", "excludes 'raw', which is one picture"),
            (bracket != nil && codec == .heic, "bracket", "excludes 'codec' \"heic\", which encodes one picture"),
            (codec == .heic && raw == .only, "codec", "needs a photo, and 'raw' \"only\" takes none"),
            (motionPhoto == true && raw == .only, "motionPhoto", "needs a photo, and 'raw' \"only\" takes none"),
            (motionPhoto == true && livePhoto == nil, "motionPhoto", "is made of a clip, and needs 'livePhoto'"),
            (clipCodec != nil && livePhoto == nil, "clipCodec", "is that of a clip, and needs 'livePhoto'"),
        ]
        return rules.first(where: \.isBroken).map { InvalidDocument($0.member, $0.reason) }
    }
}

extension PhotoSettings: ExplainsUnknownMembers {
    public static func explanation(ofUnknown member: String) -> String? {
        UnavailablePhotoSetting(named: member).map { "not supported: \($0.reason); leave it out" }
    }
}

/// The exposure of one picture of a bracket; nil leaves a value as it is.
public struct BracketStep: Hashable, Codable, Sendable {
    /// Exposure time in nanoseconds.
    public var exposureNanoseconds: Int64?
    /// In the units of the device's control `gain`.
    public var gain: Int64?

    public init(exposureNanoseconds: Int64? = nil, gain: Int64? = nil) {
        self.exposureNanoseconds = exposureNanoseconds
        self.gain = gain
    }

    private enum CodingKeys: String, CodingKey {
        case exposureNanoseconds = "exposureNanoseconds"
        case gain = "gain"
    }

    /// The exposure times that a step may have, in nanoseconds: up to ten seconds.
    public static let exposures: ClosedRange<Int64> = 1000...10_000_000_000

    /// The gains that a step may have, in the device's units.
    public static let gains = Int64(Int32.min)...Int64(Int32.max)
}

extension BracketStep: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(exposureNanoseconds, "exposureNanoseconds", in: Self.exposures)
        try check(gain, "gain", in: Self.gains)
    }
}

/// How the pictures of a companion clip are coded.
public enum ClipCodec: String, Hashable, Codable, Sendable, CaseIterable {
    /// As the camera delivers them, each a JPEG image.
    case mjpeg
    /// H.264, with sound as AAC. The node encodes them after the clip was recorded.
    case h264
}

/// When a capture is lit, after AVFoundation's `AVCaptureDevice.FlashMode`.
public enum FlashMode: String, Hashable, Codable, Sendable, CaseIterable {
    case off
    case on
    /// Lit if the newest frame before the capture is dark.
    case auto
}

/// The companion clip of a capture, as announced before T, after `livePhotoMovieDimensions` of AVFoundation's
/// `AVCaptureResolvedPhotoSettings`.
public struct LivePhotoMovie: Hashable, Codable, Sendable {
    /// The size of its frames, before their orientation is applied.
    public var dimensions: PixelSize
    /// How long before T it begins, in nanoseconds: ``fullPreRoll``, or what the available frames allow.
    public var preRollNanoseconds: Int64
    /// How long after T it ends, in nanoseconds.
    public var postRollNanoseconds: Int64
    /// Whether sound is announced for it. ``ClipTiming/silences`` reports missing sound.
    public var hasSound: Bool
    /// How its pictures will be coded; nil keeps them as the camera delivers them.
    public var codec: ClipCodec?
    /// Whether still and clip are also combined in one file, ``AssetKind/motionPhoto``; nil means no.
    public var motionPhoto: Bool?

    public init(
        dimensions: PixelSize, preRollNanoseconds: Int64 = fullPreRoll.nanoseconds,
        postRollNanoseconds: Int64 = postRoll.nanoseconds, hasSound: Bool = false,
        codec: ClipCodec? = nil, motionPhoto: Bool? = nil
    ) {
        self.dimensions = dimensions
        self.preRollNanoseconds = preRollNanoseconds
        self.postRollNanoseconds = postRollNanoseconds
        self.hasSound = hasSound
        self.codec = codec
        self.motionPhoto = motionPhoto
    }

    private enum CodingKeys: String, CodingKey {
        case dimensions = "dimensions"
        case preRollNanoseconds = "preRollNanoseconds"
        case postRollNanoseconds = "postRollNanoseconds"
        case hasSound = "hasSound"
        case codec = "codec"
        case motionPhoto = "motionPhoto"
    }

    /// Whether any of its files is made after recording and encoding.
    public var isProcessedLater: Bool { codec == .h264 || motionPhoto == true }

    /// Its files.
    public var kinds: [AssetKind] { motionPhoto == true ? [.pairedVideo, .motionPhoto] : [.pairedVideo] }

    /// How long before T a clip begins if the ring reaches back that far.
    public static let fullPreRoll = Duration.milliseconds(1500)
    /// How long after T a clip ends.
    public static let postRoll = Duration.milliseconds(1500)
    /// The depth of the ring that clips need: the time before T, and the time until the frames are pinned.
    public static let ringDepth = fullPreRoll + .milliseconds(500)
    /// The most frames in a clip. A faster camera is refused a clip.
    public static let frameLimit = 1200
}

/// A shot's request for companion clips.
public enum LivePhotoRequest: String, Hashable, Codable, Sendable, CaseIterable {
    /// From cameras that can record one at that moment. The others take the photo only, and the resolved settings say why.
    case whereEnabled
    /// From every camera. One that cannot record a clip is refused before T.
    case required

    /// What a request that says nothing of settings asks for, and `capctl` where no option says otherwise.
    public static let usual = LivePhotoRequest.whereEnabled
}

/// How a still is coded.
public enum PhotoCodec: String, Hashable, Codable, Sendable, CaseIterable {
    /// JPEG only.
    case jpeg
    /// JPEG, and HEVC in a HEIF file, which the node encodes after the still was stored.
    case heic
}

/// The part of a picture that its thumbnail shows.
public enum ThumbnailShape: String, Hashable, Codable, Sendable, CaseIterable {
    /// The complete picture.
    case whole
    /// The central square of the shorter side. A square is the same before and after the orientation is applied.
    case square
}
