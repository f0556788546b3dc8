internal import CaptureModel

/// One camera's part of a shot: an entry of `captures`.
struct CaptureDocument: Codable, Sendable {
    var device: ShotDeviceDocument
    var phase: Capture.Phase
    var problem: RigProblem?
    var resolved: ResolvedPhotoSettings?
    var timing: FrameTiming?
    var streamGap: StreamGap?
    var clip: ClipTiming?
    var movie: RecordedMovie?
    var rawNote: String?
    /// Absent if empty.
    var doubts: [DoubtedClaim]?
    /// Absent if empty.
    var exceeds: [TimingLimits.Limit]?
    var files: [CapturedFileDocument]

    private enum CodingKeys: String, CodingKey {
        case device = "device"
        case phase = "phase"
        case problem = "problem"
        case resolved = "resolved"
        case timing = "timing"
        case streamGap = "streamGap"
        case clip = "clip"
        case movie = "movie"
        case rawNote = "rawNote"
        case doubts = "doubts"
        case exceeds = "exceeds"
        case files = "files"
    }

    init(_ value: Capture) {
        device = ShotDeviceDocument(value.device)
        phase = value.phase
        problem = value.problem
        resolved = value.resolved
        timing = value.timing
        streamGap = value.streamGap
        clip = value.clip
        movie = value.movie
        rawNote = value.rawNote
        doubts = value.doubts.isEmpty ? nil : value.doubts
        exceeds = value.exceeds.isEmpty ? nil : value.exceeds
        files = value.files.map(CapturedFileDocument.init)
    }

    var value: Capture {
        var value = Capture(device: device.value)
        value.phase = phase
        value.problem = problem
        value.resolved = resolved
        value.timing = timing
        value.streamGap = streamGap
        value.clip = clip
        value.movie = movie
        value.rawNote = rawNote
        value.doubts = doubts ?? []
        value.exceeds = exceeds ?? []
        value.files = files.map(\.value)
        return value
    }
}

/// One expected file: an entry of `captures[].files`.
struct CapturedFileDocument: Codable, Sendable {
    var kind: AssetKind
    var outcome: CapturedFile.Outcome
    var problem: RigProblem?
    var shortfall: RigProblem?
    var path: String?
    var byteCount: Int64?
    var digest: ContentDigest?
    var storedAt: RigTime?

    private enum CodingKeys: String, CodingKey {
        case kind = "kind"
        case outcome = "outcome"
        case problem = "problem"
        case shortfall = "shortfall"
        case path = "path"
        case byteCount = "byteCount"
        case digest = "digest"
        case storedAt = "storedAt"
    }

    init(_ value: CapturedFile) {
        kind = value.kind
        outcome = value.outcome
        problem = value.problem
        shortfall = value.shortfall
        path = value.path
        byteCount = value.byteCount
        digest = value.digest
        storedAt = value.storedAt
    }

    var value: CapturedFile {
        var value = CapturedFile(kind: kind)
        value.outcome = outcome
        value.problem = problem
        value.shortfall = shortfall
        value.path = path
        value.byteCount = byteCount
        value.digest = digest
        value.storedAt = storedAt
        return value
    }
}

/// A camera as the roster knew it.
struct ShotDeviceDocument: Codable, Sendable {
    var id: DeviceID
    var mediaType: MediaType
    var type: DeviceType
    var position: Position
    var labels: [String]
    var purpose: String
    var orientation: Orientation
    var mirrored: Bool?
    var driver: String
    var make: String?
    var model: String?
    var serial: String?

    private enum CodingKeys: String, CodingKey {
        case id = "id"
        case mediaType = "mediaType"
        case type = "type"
        case position = "position"
        case labels = "labels"
        case purpose = "purpose"
        case orientation = "orientation"
        case mirrored = "mirrored"
        case driver = "driver"
        case make = "make"
        case model = "model"
        case serial = "serial"
    }

    init(_ value: DeviceDescription) {
        id = value.id
        mediaType = value.mediaType
        type = value.type
        position = value.position
        labels = value.labels
        purpose = value.purpose
        orientation = value.orientation
        mirrored = value.mirrored
        driver = value.driver
        make = value.make
        model = value.model
        serial = value.serial
    }

    var value: DeviceDescription {
        DeviceDescription(
            id: id, mediaType: mediaType, type: type, position: position, labels: labels, purpose: purpose,
            orientation: orientation, mirrored: mirrored, driver: driver, make: make, model: model, serial: serial)
    }
}
