internal import CaptureModel
internal import FoundationEssentials
internal import ShotDocuments

/// The content of a file in `controls/`: how a camera's controls stood before a capture sets them.
struct KeptControls: Codable {
    static let currentSchemaVersion = 1

    var schemaVersion = KeptControls.currentSchemaVersion
    /// By name, in the device's units.
    var values: [String: Int64]

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case values = "values"
    }

    init(values: [String: Int64]) {
        self.values = values
    }

    /// - Returns: nil for what is no such file, or a newer version's.
    init?(_ bytes: [UInt8]) {
        guard let kept = try? JSONDecoder().decode(KeptControls.self, from: Data(bytes)),
            kept.schemaVersion == Self.currentSchemaVersion
        else { return nil }
        self = kept
    }

    func encoded() throws(CaptureProblem) -> [UInt8] {
        try StoredJSON.encoded(self, "the file of a camera's controls")
    }
}
