/// The role of a file in its capture, in AVFoundation's words (`PHAssetResourceType`).
public enum AssetKind: Hashable, Codable, Sendable {
    /// The still: the camera's JPEG with metadata. In a bracket, the first still.
    case photo
    /// The further stills of a bracket, by position.
    case photo2
    case photo3
    case photo4
    case photo5
    /// A small JPEG of the still, made if the settings ask for one.
    case preview
    /// The companion clip of a Live Photo: a QuickTime movie that begins before T and ends after it.
    case pairedVideo
    /// The sensor's samples in a raw file, in addition to the photo or instead of it. The file is a DNG that the node has made. An entry
    /// without a file may also be that of a camera which makes raw files itself: only the file tells its format.
    case alternatePhoto
    /// The raw file that the camera itself has made of the photo's exposure, as it was on its card.
    case cameraRaw(CameraRawFormat)
    /// The still followed by its clip in one file, as Google's Motion Photo.
    case motionPhoto
    /// The still in HEIC, in addition to the photo from which it is encoded.
    case photoHEIC
    /// A camera's QuickTime movie of a take; one of several files if the take requested several.
    case movie(SegmentNumber)
    /// One line about each frame of the movie of the same number (`docs/recording.md`).
    case frames(SegmentNumber)

    /// The stills, in the order of a bracket.
    public static let stills = allCases.filter(\.isStill)

    /// Whether it is a still.
    public var isStill: Bool {
        switch self {
        case .photo, .photo2, .photo3, .photo4, .photo5: true
        case .preview, .pairedVideo, .alternatePhoto, .cameraRaw, .motionPhoto, .photoHEIC, .movie, .frames: false
        }
    }

    /// Whether it is a raw file, of which a capture has at most one.
    public var isRaw: Bool {
        switch self {
        case .alternatePhoto, .cameraRaw: true
        default: false
        }
    }

    /// Whether it is a file of a take's movie.
    public var isMovie: Bool {
        switch self {
        case .movie: true
        default: false
        }
    }

    /// The file of a recording that it is or belongs to; nil if it belongs to no recording.
    public var segment: SegmentNumber? {
        switch self {
        case .movie(let segment), .frames(let segment): segment
        default: nil
        }
    }

    /// Whether it is made after the first report of its capture, and may fail separately.
    public var isMadeLater: Bool {
        switch self {
        case .pairedVideo, .motionPhoto, .photoHEIC, .movie, .frames: true
        case .photo, .photo2, .photo3, .photo4, .photo5, .preview, .alternatePhoto, .cameraRaw: false
        }
    }

    /// The files of a recording; if a recording has several movies, the files of the first.
    public static let ofMovie = ofRecording(.first)

    /// The files of a recording that have this number.
    public static func ofRecording(_ segment: SegmentNumber) -> [AssetKind] { [.movie(segment), .frames(segment)] }

    /// The file name of this kind in a capture's folder.
    public var fileName: String {
        switch self {
        case .pairedVideo, .movie: rawValue + ".mov"
        case .alternatePhoto: "alternatePhoto.dng"
        case .cameraRaw: rawValue
        // Viewers look for the end of this name.
        case .motionPhoto: "photo_MP.jpg"
        case .photoHEIC: "photo.heic"
        case .frames: rawValue + ".jsonl"
        default: rawValue + ".jpg"
        }
    }
}

/// The form used in manifests and on the wire.
extension AssetKind: RawRepresentable, CaseIterable {
    /// All kinds but the raw files of cameras, which ``CameraRawFormat`` lists; of a recording, only its first files.
    public static let allCases: [AssetKind] = [
        .photo, .photo2, .photo3, .photo4, .photo5, .preview, .pairedVideo, .alternatePhoto, .motionPhoto, .photoHEIC,
        .movie(.first), .frames(.first),
    ]

    private static let words = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// Parses a kind. A further file of a recording has its number after its kind, such as `movie.02`, and a camera's raw file its format:
    /// `cameraRaw.nef`.
    public init?(rawValue: String) {
        if let kind = Self.words[rawValue] {
            self = kind
            return
        }
        guard let dot = rawValue.firstIndex(of: ".") else { return nil }
        let suffix = rawValue[dot...]
        switch (rawValue[..<dot], SegmentNumber(suffix: suffix), CameraRawFormat(rawValue: String(suffix.dropFirst())))
        {
        case ("movie", let segment?, _): self = .movie(segment)
        case ("frames", let segment?, _): self = .frames(segment)
        case ("cameraRaw", _, let format?): self = .cameraRaw(format)
        default: return nil
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
        case .cameraRaw(let format): "cameraRaw.\(format.rawValue)"
        case .motionPhoto: "motionPhoto"
        case .photoHEIC: "photoHEIC"
        case .movie(let segment): "movie\(segment.suffix)"
        case .frames(let segment): "frames\(segment.suffix)"
        }
    }
}

/// The position of a file in a recording, from 1, in the order of recording.
public struct SegmentNumber: Hashable, Comparable, Sendable {
    public let value: Int

    /// The most files that a recording has. Each camera has two entries for each in the take's manifest.
    public static let limit = 99

    /// The first file, and the only one unless several were requested.
    public static let first = SegmentNumber(checked: 1)

    /// - Returns: nil outside of 1 to ``limit``.
    public init?(_ value: Int) {
        guard (1...Self.limit).contains(value) else { return nil }
        self.value = value
    }

    private init(checked value: Int) {
        self.value = value
    }

    /// The next file; nil after the last one allowed.
    public var next: SegmentNumber? { SegmentNumber(value + 1) }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// What the name of a further file adds to that of the first, such as `.02`; empty for the first.
    var suffix: String {
        guard self > .first else { return "" }
        return value < 10 ? ".0\(value)" : ".\(value)"
    }

    /// - Parameter suffix: The exact suffix of a further file.
    init?(suffix: Substring) {
        guard let number = Int(suffix.dropFirst()).flatMap({ SegmentNumber($0) }), number.suffix == suffix else {
            return nil
        }
        self = number
    }
}
