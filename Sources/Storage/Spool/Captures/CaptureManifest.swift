internal import CaptureModel
internal import FoundationEssentials
internal import ShotDocuments

/// The content of a `capture.json`. It is written after the files it names, so that its presence means they are whole;
/// what it says is owed is not there yet.
struct CaptureManifest: Codable {
    /// The newest that is read. 3 has recordings in several files.
    static let currentSchemaVersion = 3

    var schemaVersion: Int
    var capture: CaptureReportDocument

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case capture = "capture"
    }

    init(capture: CaptureReport) {
        self.capture = CaptureReportDocument(capture)
        let kinds = capture.files.map(\.kind) + capture.owed + capture.failed.map(\.kind)
        let isOfSegments = capture.recorded != nil || kinds.contains { $0.segment.map { $0 > .first } ?? false }
        // A program that knows nothing of further files would take them for damaged; it leaves what is newer alone.
        schemaVersion = isOfSegments ? 3 : 2
    }

    func encoded() throws(CaptureProblem) -> [UInt8] {
        try StoredJSON.encoded(self, "the manifest of \(capture.key.value)")
    }

    /// What the bytes of a manifest turned out to be.
    enum Reading {
        case whole(CaptureReport)
        /// Written by a newer version of this program; not this one's to touch.
        case newer
        case damaged(String)
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        struct Version: Decodable {
            var schemaVersion: Int
        }
        do {
            let data = Data(bytes)
            let version = try JSONDecoder().decode(Version.self, from: data).schemaVersion
            guard version <= currentSchemaVersion else { return .newer }
            return .whole(try JSONDecoder().decode(CaptureManifest.self, from: data).capture.value)
        } catch {
            return .damaged("\(error)")
        }
    }
}
