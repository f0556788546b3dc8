public import CaptureModel

/// The properties of a capture, announced before it happens: `resolved`.
public struct ResolvedPhotoSettingsDocument: Codable, Sendable {
    var width: Int
    var height: Int
    var streamFormat: VideoFormatDocument
    var isCameraEncoded: Bool
    var orientation: Orientation
    var mirrored: Bool?
    var thumbnail: PixelSize?
    var preview: PixelSize?
    var isFlashUsed: Bool?
    var bracketCount: Int?
    var photoFormat: VideoFormatDocument?
    var expectedGapNanoseconds: Int64?
    var livePhoto: LivePhotoMovieDocument?
    var livePhotoNote: String?
    var raw: ResolvedRawPhotoDocument?
    var rawProblem: ProblemDocument?
    var codec: PhotoCodec?
    var movie: ResolvedMovieDocument?

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

    public init(_ value: ResolvedPhotoSettings) {
        width = value.width
        height = value.height
        streamFormat = VideoFormatDocument(value.streamFormat)
        isCameraEncoded = value.isCameraEncoded
        orientation = value.orientation
        mirrored = value.mirrored
        thumbnail = value.thumbnail
        preview = value.preview
        isFlashUsed = value.isFlashUsed
        bracketCount = value.bracketCount
        photoFormat = value.photoFormat.map(VideoFormatDocument.init)
        expectedGapNanoseconds = value.expectedGapNanoseconds
        livePhoto = value.livePhoto.map(LivePhotoMovieDocument.init)
        livePhotoNote = value.livePhotoNote
        raw = value.raw.map(ResolvedRawPhotoDocument.init)
        rawProblem = value.rawProblem.map(ProblemDocument.init)
        codec = value.codec
        movie = value.movie.map(ResolvedMovieDocument.init)
    }

    public var value: ResolvedPhotoSettings {
        ResolvedPhotoSettings(
            width: width, height: height, streamFormat: streamFormat.value, isCameraEncoded: isCameraEncoded,
            orientation: orientation, mirrored: mirrored, thumbnail: thumbnail, preview: preview,
            isFlashUsed: isFlashUsed, bracketCount: bracketCount, photoFormat: photoFormat?.value,
            expectedGapNanoseconds: expectedGapNanoseconds, livePhoto: livePhoto?.value, livePhotoNote: livePhotoNote,
            raw: raw?.value, rawProblem: rawProblem?.value, codec: codec, movie: movie?.value)
    }
}

/// A format in which a camera streams.
struct VideoFormatDocument: Codable, Sendable {
    var pixelFormat: PixelFormat
    var width: Int
    var height: Int
    var frameIntervalNanoseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case pixelFormat = "pixelFormat"
        case width = "width"
        case height = "height"
        case frameIntervalNanoseconds = "frameIntervalNanoseconds"
    }

    init(_ value: VideoFormat) {
        pixelFormat = value.pixelFormat
        width = value.width
        height = value.height
        frameIntervalNanoseconds = value.frameIntervalNanoseconds
    }

    var value: VideoFormat {
        VideoFormat(
            pixelFormat: pixelFormat, width: width, height: height,
            frameInterval: .nanoseconds(frameIntervalNanoseconds))
    }
}

/// The companion clip as announced before T.
struct LivePhotoMovieDocument: Codable, Sendable {
    var dimensions: PixelSize
    var preRollNanoseconds: Int64
    var postRollNanoseconds: Int64
    var hasSound: Bool
    var codec: ClipCodec?
    var motionPhoto: Bool?

    private enum CodingKeys: String, CodingKey {
        case dimensions = "dimensions"
        case preRollNanoseconds = "preRollNanoseconds"
        case postRollNanoseconds = "postRollNanoseconds"
        case hasSound = "hasSound"
        case codec = "codec"
        case motionPhoto = "motionPhoto"
    }

    init(_ value: LivePhotoMovie) {
        dimensions = value.dimensions
        preRollNanoseconds = value.preRollNanoseconds
        postRollNanoseconds = value.postRollNanoseconds
        hasSound = value.hasSound
        codec = value.codec
        motionPhoto = value.motionPhoto
    }

    var value: LivePhotoMovie {
        LivePhotoMovie(
            dimensions: dimensions, preRollNanoseconds: preRollNanoseconds,
            postRollNanoseconds: postRollNanoseconds, hasSound: hasSound, codec: codec, motionPhoto: motionPhoto)
    }
}

/// The announced properties of the raw file.
struct ResolvedRawPhotoDocument: Codable, Sendable {
    var dimensions: PixelSize
    var bits: Int
    var embeddedThumbnail: PixelSize?

    private enum CodingKeys: String, CodingKey {
        case dimensions = "dimensions"
        case bits = "bits"
        case embeddedThumbnail = "embeddedThumbnail"
    }

    init(_ value: ResolvedRawPhoto) {
        dimensions = value.dimensions
        bits = value.bits
        embeddedThumbnail = value.embeddedThumbnail
    }

    var value: ResolvedRawPhoto {
        ResolvedRawPhoto(dimensions: dimensions, bits: bits, embeddedThumbnail: embeddedThumbnail)
    }
}

/// The movie of a take as announced before T.
struct ResolvedMovieDocument: Codable, Sendable {
    var hasSound: Bool
    var note: String?

    private enum CodingKeys: String, CodingKey {
        case hasSound = "hasSound"
        case note = "note"
    }

    init(_ value: ResolvedMovie) {
        hasSound = value.hasSound
        note = value.note
    }

    var value: ResolvedMovie {
        ResolvedMovie(hasSound: hasSound, note: note)
    }
}
