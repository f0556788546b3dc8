internal import CaptureModel

/// The companion clip as announced before T.
struct LivePhotoMovieDocument: Codable, Sendable {
    var dimensions: PixelSizeDocument
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
        dimensions = PixelSizeDocument(value.dimensions)
        preRollNanoseconds = value.preRollNanoseconds
        postRollNanoseconds = value.postRollNanoseconds
        hasSound = value.hasSound
        codec = value.codec
        motionPhoto = value.motionPhoto
    }

    var value: LivePhotoMovie {
        LivePhotoMovie(
            dimensions: dimensions.value, preRollNanoseconds: preRollNanoseconds,
            postRollNanoseconds: postRollNanoseconds, hasSound: hasSound, codec: codec, motionPhoto: motionPhoto)
    }
}

/// What the raw file will be.
struct ResolvedRawPhotoDocument: Codable, Sendable {
    var dimensions: PixelSizeDocument
    var bits: Int
    var embeddedThumbnail: PixelSizeDocument

    private enum CodingKeys: String, CodingKey {
        case dimensions = "dimensions"
        case bits = "bits"
        case embeddedThumbnail = "embeddedThumbnail"
    }

    init(_ value: ResolvedRawPhoto) {
        dimensions = PixelSizeDocument(value.dimensions)
        bits = value.bits
        embeddedThumbnail = PixelSizeDocument(value.embeddedThumbnail)
    }

    var value: ResolvedRawPhoto {
        ResolvedRawPhoto(dimensions: dimensions.value, bits: bits, embeddedThumbnail: embeddedThumbnail.value)
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
