/// What a file is to its capture, in AVFoundation's words (`PHAssetResourceType`).
public enum AssetKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// The still itself: the camera's own JPEG with metadata. Of a bracket, the first.
    case photo
    /// The further stills of a bracket, by their place in it.
    case photo2 = "photo.2"
    case photo3 = "photo.3"
    case photo4 = "photo.4"
    case photo5 = "photo.5"
    /// A small JPEG of the still, made where the settings ask for one.
    case preview
    /// The companion clip of a Live Photo: a QuickTime movie from before T to after it.
    case pairedVideo
    /// The sensor's own samples as DNG, beside the photo or instead of it.
    case alternatePhoto
    /// The still with its clip behind it in one file, as Google's Motion Photo.
    case motionPhoto
    /// The still in HEIC, beside the photo it is encoded of.
    case photoHEIC
    /// A camera's movie of a take, QuickTime.
    case movie
    /// What is known of each frame of the movie, a line each (`docs/recording.md`).
    case frames

    /// The stills, in the order of a bracket.
    public static let stills = allCases.filter(\.isStill)

    /// Whether it is a picture of its own.
    public var isStill: Bool {
        switch self {
        case .photo, .photo2, .photo3, .photo4, .photo5: true
        case .preview, .pairedVideo, .alternatePhoto, .motionPhoto, .photoHEIC, .movie, .frames: false
        }
    }

    /// Whether it is made after its capture was first reported, and may fail by itself.
    public var isMadeLater: Bool {
        switch self {
        case .pairedVideo, .motionPhoto, .photoHEIC, .movie, .frames: true
        case .photo, .photo2, .photo3, .photo4, .photo5, .preview, .alternatePhoto: false
        }
    }

    /// The files of a recording.
    public static let ofMovie: [AssetKind] = [.movie, .frames]

    /// The file name of this kind inside a capture's folder.
    public var fileName: String {
        switch self {
        case .pairedVideo: "pairedVideo.mov"
        case .alternatePhoto: "alternatePhoto.dng"
        // Viewers look for the end of this name.
        case .motionPhoto: "photo_MP.jpg"
        case .photoHEIC: "photo.heic"
        case .movie: "movie.mov"
        case .frames: "frames.jsonl"
        default: rawValue + ".jpg"
        }
    }
}
