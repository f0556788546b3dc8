internal import CaptureModel

/// The settings requested of every camera: `request.settings`.
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
    var rawThumbnail: RawThumbnailFormatDocument?
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
        case rawThumbnail = "rawThumbnail"
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
        rawThumbnail = value.rawThumbnail.map(RawThumbnailFormatDocument.init)
        codec = value.codec
        movie = value.movie.map(MovieSettingsDocument.init)
    }

    var value: PhotoSettings {
        PhotoSettings(
            quality: quality, embedThumbnail: embedThumbnail, previewSize: previewSize, flash: flash,
            bracket: bracket?.map(\.value), maxPhotoDimensions: maxPhotoDimensions?.value, livePhoto: livePhoto,
            clipCodec: clipCodec, motionPhoto: motionPhoto, raw: raw,
            rawThumbnail: rawThumbnail?.value, codec: codec, movie: movie?.value)
    }
}

/// The requested picture in a raw file.
struct RawThumbnailFormatDocument: Codable, Sendable {
    var codec: RawThumbnailFormat.Codec
    var longerSide: Int?

    private enum CodingKeys: String, CodingKey {
        case codec = "codec"
        case longerSide = "longerSide"
    }

    init(_ value: RawThumbnailFormat) {
        codec = value.codec
        longerSide = value.longerSide
    }

    var value: RawThumbnailFormat { RawThumbnailFormat(codec: codec, longerSide: longerSide) }
}

/// The exposure of one picture of a bracket.
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

/// The settings requested for a take.
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

/// The requested devices: `request.selection`.
struct SelectionDocument: Codable, Sendable {
    var mediaType: MediaType
    var nodes: [NodeName]
    var devices: [DeviceID]
    var labels: [String]
    var choice: ChoiceDocument

    private enum CodingKeys: String, CodingKey {
        case mediaType = "mediaType"
        case nodes = "nodes"
        case devices = "devices"
        case labels = "labels"
        case choice = "choice"
    }

    init(_ value: Selection) {
        mediaType = value.mediaType
        nodes = value.nodes
        devices = value.devices
        labels = value.labels
        choice = ChoiceDocument(value.choice)
    }

    var value: Selection {
        Selection(mediaType: mediaType, nodes: nodes, devices: devices, labels: labels, choice: choice.value)
    }
}

/// A device type at a position.
struct TypeAndPositionDocument: Codable, Sendable {
    var type: DeviceType?
    var position: Position

    private enum CodingKeys: String, CodingKey {
        case type = "type"
        case position = "position"
    }

    init(_ value: TypeAndPosition) {
        type = value.type
        position = value.position
    }

    var value: TypeAndPosition {
        TypeAndPosition(type: type, position: position)
    }
}

/// Which of the candidates are selected: an object with one member, whose name states the rule.
struct ChoiceDocument: Codable, Sendable {
    let value: Selection.Choice

    private enum CodingKeys: String, CodingKey {
        case all = "all"
        case matching = "matching"
        case first = "first"
    }

    private enum MemberKeys: String, CodingKey {
        case pairs = "_0"
        case scope = "per"
    }

    init(_ value: Selection.Choice) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let ways = try decoder.container(keyedBy: CodingKeys.self)
        let way = try ways.onlyKey()
        let members = try ways.nestedContainer(keyedBy: MemberKeys.self, forKey: way)
        func pairs() throws -> [TypeAndPosition] {
            try members.decode([TypeAndPositionDocument].self, forKey: .pairs).map(\.value)
        }
        value =
            switch way {
            case .all: .all
            case .matching: .matching(try pairs())
            case .first: .first(try pairs(), per: try members.decode(Selection.Scope.self, forKey: .scope))
            }
    }

    func encode(to encoder: any Encoder) throws {
        var ways = encoder.container(keyedBy: CodingKeys.self)
        switch value {
        case .all:
            _ = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .all)
        case .matching(let pairs):
            var members = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .matching)
            try members.encode(pairs.map(TypeAndPositionDocument.init), forKey: .pairs)
        case .first(let pairs, let scope):
            var members = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .first)
            try members.encode(pairs.map(TypeAndPositionDocument.init), forKey: .pairs)
            try members.encode(scope, forKey: .scope)
        }
    }
}
