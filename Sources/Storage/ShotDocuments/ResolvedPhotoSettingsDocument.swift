public import CaptureModel

/// What a capture will be, told before it happens: `resolved`.
public struct ResolvedPhotoSettingsDocument: Codable, Sendable {
    var width: Int
    var height: Int
    var streamFormat: VideoFormatDocument
    var isCameraEncoded: Bool
    var orientation: Orientation
    var mirrored: Bool?
    var thumbnail: PixelSizeDocument?
    var preview: PixelSizeDocument?
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
        thumbnail = value.thumbnail.map(PixelSizeDocument.init)
        preview = value.preview.map(PixelSizeDocument.init)
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
            orientation: orientation, mirrored: mirrored, thumbnail: thumbnail?.value, preview: preview?.value,
            isFlashUsed: isFlashUsed, bracketCount: bracketCount, photoFormat: photoFormat?.value,
            expectedGapNanoseconds: expectedGapNanoseconds, livePhoto: livePhoto?.value, livePhotoNote: livePhotoNote,
            raw: raw?.value, rawProblem: rawProblem?.value, codec: codec, movie: movie?.value)
    }
}
