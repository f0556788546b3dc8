internal import CaptureModel

/// What every camera was asked for: `request.settings`.
struct PhotoSettingsDocument: Codable, Sendable {
    var quality: Int?
    var embedThumbnail: ThumbnailShape?
    var previewSize: Int?
    var flash: FlashMode?
    var bracket: [BracketStepDocument]?
    var maxPhotoDimensions: PixelSizeDocument?
    var livePhoto: LivePhotoRequest?
    var clipCodec: ClipCodec?
    var motionPhoto: Bool?
    var raw: RawPhoto?
    var codec: PhotoCodec?
    var movie: MovieSettingsDocument?

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
        case codec = "codec"
        case movie = "movie"
    }

    init(_ value: PhotoSettings) {
        quality = value.quality
        embedThumbnail = value.embedThumbnail
        previewSize = value.previewSize
        flash = value.flash
        bracket = value.bracket?.map(BracketStepDocument.init)
        maxPhotoDimensions = value.maxPhotoDimensions.map(PixelSizeDocument.init)
        livePhoto = value.livePhoto
        clipCodec = value.clipCodec
        motionPhoto = value.motionPhoto
        raw = value.raw
        codec = value.codec
        movie = value.movie.map(MovieSettingsDocument.init)
    }

    var value: PhotoSettings {
        PhotoSettings(
            quality: quality, embedThumbnail: embedThumbnail, previewSize: previewSize, flash: flash,
            bracket: bracket?.map(\.value), maxPhotoDimensions: maxPhotoDimensions?.value, livePhoto: livePhoto,
            clipCodec: clipCodec, motionPhoto: motionPhoto, raw: raw, codec: codec, movie: movie?.value)
    }
}

/// How one picture of a bracket is exposed.
struct BracketStepDocument: Codable, Sendable {
    var exposureNanoseconds: Int64?
    var gain: Int64?

    private enum CodingKeys: String, CodingKey {
        case exposureNanoseconds = "exposureNanoseconds"
        case gain = "gain"
    }

    init(_ value: BracketStep) {
        exposureNanoseconds = value.exposureNanoseconds
        gain = value.gain
    }

    var value: BracketStep {
        BracketStep(exposureNanoseconds: exposureNanoseconds, gain: gain)
    }
}

/// What a take was asked for.
struct MovieSettingsDocument: Codable, Sendable {
    var maxRecordedDurationNanoseconds: Int64?
    var maxRecordedFileSize: Int64?
    var minFreeDiskSpaceLimit: Int64?
    var segmentDurationNanoseconds: Int64?
    var segmentFileSize: Int64?

    private enum CodingKeys: String, CodingKey {
        case maxRecordedDurationNanoseconds = "maxRecordedDurationNanoseconds"
        case maxRecordedFileSize = "maxRecordedFileSize"
        case minFreeDiskSpaceLimit = "minFreeDiskSpaceLimit"
        case segmentDurationNanoseconds = "segmentDurationNanoseconds"
        case segmentFileSize = "segmentFileSize"
    }

    init(_ value: MovieSettings) {
        maxRecordedDurationNanoseconds = value.maxRecordedDurationNanoseconds
        maxRecordedFileSize = value.maxRecordedFileSize
        minFreeDiskSpaceLimit = value.minFreeDiskSpaceLimit
        segmentDurationNanoseconds = value.segmentDurationNanoseconds
        segmentFileSize = value.segmentFileSize
    }

    var value: MovieSettings {
        MovieSettings(
            maxRecordedDurationNanoseconds: maxRecordedDurationNanoseconds, maxRecordedFileSize: maxRecordedFileSize,
            minFreeDiskSpaceLimit: minFreeDiskSpaceLimit, segmentDurationNanoseconds: segmentDurationNanoseconds,
            segmentFileSize: segmentFileSize)
    }
}
