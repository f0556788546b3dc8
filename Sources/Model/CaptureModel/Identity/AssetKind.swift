/// What a file is to its capture, in AVFoundation's words (`PHAssetResourceType`).
public enum AssetKind: Hashable, Codable, Sendable {
    /// The still itself: the camera's own JPEG with metadata. Of a bracket, the first.
    case photo
    /// The further stills of a bracket, by their place in it.
    case photo2
    case photo3
    case photo4
    case photo5
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
    /// A camera's movie of a take, QuickTime; where it was asked for in several files, one of these.
    case movie(SegmentNumber)
    /// What is known of each frame of the movie of the same number, a line each (`docs/recording.md`).
    case frames(SegmentNumber)

    /// The stills, in the order of a bracket.
    public static let stills = allCases.filter(\.isStill)

    /// Whether it is a picture of its own.
    public var isStill: Bool {
        switch self {
        case .photo, .photo2, .photo3, .photo4, .photo5: true
        case .preview, .pairedVideo, .alternatePhoto, .motionPhoto, .photoHEIC, .movie, .frames: false
        }
    }

    /// Whether it is a take's movie, whichever file of it.
    public var isMovie: Bool {
        switch self {
        case .movie: true
        default: false
        }
    }

    /// Which file of a recording it is, or belongs to; nil for what is of none.
    public var segment: SegmentNumber? {
        switch self {
        case .movie(let segment), .frames(let segment): segment
        default: nil
        }
    }

    /// Whether it is made after its capture was first reported, and may fail by itself.
    public var isMadeLater: Bool {
        switch self {
        case .pairedVideo, .motionPhoto, .photoHEIC, .movie, .frames: true
        case .photo, .photo2, .photo3, .photo4, .photo5, .preview, .alternatePhoto: false
        }
    }

    /// The files of a recording, or the first ones of one in several.
    public static let ofMovie = ofRecording(.first)

    /// The files of a recording that have this number.
    public static func ofRecording(_ segment: SegmentNumber) -> [AssetKind] { [.movie(segment), .frames(segment)] }

    /// The file name of this kind inside a capture's folder.
    public var fileName: String {
        switch self {
        case .pairedVideo, .movie: rawValue + ".mov"
        case .alternatePhoto: "alternatePhoto.dng"
        // Viewers look for the end of this name.
        case .motionPhoto: "photo_MP.jpg"
        case .photoHEIC: "photo.heic"
        case .frames: rawValue + ".jsonl"
        default: rawValue + ".jpg"
        }
    }
}

/// As it stands in manifests and on the wire.
extension AssetKind: RawRepresentable, CaseIterable {
    /// Of a recording, its first files.
    public static let allCases: [AssetKind] = [
        .photo, .photo2, .photo3, .photo4, .photo5, .preview, .pairedVideo, .alternatePhoto, .motionPhoto, .photoHEIC,
        .movie(.first), .frames(.first),
    ]

    private static let words = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// A further file of a recording has its number behind its kind: `movie.02`.
    public init?(rawValue: String) {
        if let kind = Self.words[rawValue] {
            self = kind
        } else if let dot = rawValue.firstIndex(of: "."), let segment = SegmentNumber(suffix: rawValue[dot...]) {
            switch rawValue[..<dot] {
            case "movie": self = .movie(segment)
            case "frames": self = .frames(segment)
            default: return nil
            }
        } else {
            return nil
        }
    }

    public var rawValue: String {
        switch self {
        case .photo: "photo"
        case .photo2: "photo.2"
        case .photo3: "photo.3"
        case .photo4: "photo.4"
        case .photo5: "photo.5"
        case .preview: "preview"
        case .pairedVideo: "pairedVideo"
        case .alternatePhoto: "alternatePhoto"
        case .motionPhoto: "motionPhoto"
        case .photoHEIC: "photoHEIC"
        case .movie(let segment): "movie\(segment.suffix)"
        case .frames(let segment): "frames\(segment.suffix)"
        }
    }
}
