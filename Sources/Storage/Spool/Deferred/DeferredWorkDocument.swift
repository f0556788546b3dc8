internal import CaptureModel
internal import FoundationEssentials
internal import ShotDocuments

/// The content of a `work.json`. The keys are written out, so that a name in Swift can change without the format.
struct DeferredWorkDocument: Codable {
    static let currentSchemaVersion = 1

    var schemaVersion = DeferredWorkDocument.currentSchemaVersion
    var key: CaptureKeyDocument
    var kinds: [AssetKind]
    var clipCodec: ClipCodec?
    var clip: ClipTimingDocument?
    var attempts: [String: Int]?
    var byteCount: Int64

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case key = "key"
        case kinds = "kinds"
        case clipCodec = "clipCodec"
        case clip = "clip"
        case attempts = "attempts"
        case byteCount = "byteCount"
    }

    init(_ value: DeferredWork) {
        key = CaptureKeyDocument(value.key)
        kinds = value.kinds
        clipCodec = value.clipCodec
        clip = value.clip.map(ClipTimingDocument.init)
        attempts = value.attempts
        byteCount = value.byteCount
    }

    var value: DeferredWork {
        var value = DeferredWork(key: key.value, kinds: kinds, clipCodec: clipCodec, clip: clip?.value)
        value.attempts = attempts
        value.byteCount = byteCount
        return value
    }
}

extension DeferredWork {
    /// - Returns: nil for what is no such file, or a newer version's.
    init?(_ bytes: [UInt8]) {
        guard let document = try? JSONDecoder().decode(DeferredWorkDocument.self, from: Data(bytes)),
            document.schemaVersion == DeferredWorkDocument.currentSchemaVersion,
            document.byteCount >= 0, document.byteCount < .max / 4096
        else { return nil }
        self = document.value
    }

    func encoded() throws(CaptureProblem) -> [UInt8] {
        try StoredJSON.encoded(DeferredWorkDocument(self), "the work on \(key)")
    }
}
