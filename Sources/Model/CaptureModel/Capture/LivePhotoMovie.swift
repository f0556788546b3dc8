/// The companion clip of a capture as it is announced before T, after `livePhotoMovieDimensions` of AVFoundation's
/// `AVCaptureResolvedPhotoSettings`.
public struct LivePhotoMovie: Hashable, Sendable {
    /// Of its frames, before their orientation is applied.
    public var dimensions: PixelSize
    /// How long before T it begins, nanoseconds: ``fullPreRoll``, or what the frames at hand allow.
    public var preRollNanoseconds: Int64
    /// How long after T it ends, nanoseconds.
    public var postRollNanoseconds: Int64
    /// Whether it is to have sound; what of that did not come, ``ClipTiming/silences`` tells.
    public var hasSound: Bool
    /// How its pictures will be coded; nil means as the camera gave them.
    public var codec: ClipCodec?
    /// Whether still and clip come as one file too, ``AssetKind/motionPhoto``; nil means no.
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

    /// Whether files of it come after it was recorded and encoded.
    public var isProcessedLater: Bool { codec == .h264 || motionPhoto == true }

    /// The files it comes as.
    public var kinds: [AssetKind] { motionPhoto == true ? [.pairedVideo, .motionPhoto] : [.pairedVideo] }

    /// How long before T a clip begins where the ring reaches back so far.
    public static let fullPreRoll = Duration.milliseconds(1500)
    /// How long after T a clip ends.
    public static let postRoll = Duration.milliseconds(1500)
    /// The ring's depth that clips need: the time before T, and what passes until the frames are pinned.
    public static let ringDepth = fullPreRoll + .milliseconds(500)
    /// The most frames a clip has; a faster camera is refused one.
    public static let frameLimit = 1200
}
