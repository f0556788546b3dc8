internal import CaptureModel
internal import FoundationEssentials
internal import ShotDocuments

/// The content of a `capture.json`. It is written after the files that it names, so its presence means that they are complete. Files that
/// it says are owed do not exist yet.
struct CaptureManifest: Codable {
    /// The newest version that is read. Version 3 adds recordings in several files.
    static let currentSchemaVersion = 3

    var schemaVersion: Int
    var capture: CaptureReport

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case capture = "capture"
    }

    init(capture: CaptureReport) {
        self.capture = capture
        let kinds = capture.files.map(\.kind) + capture.owed + capture.failed.map(\.kind)
        let isOfSegments = capture.recorded != nil || kinds.contains { $0.segment.map { $0 > .first } ?? false }
        // A version 2 program would consider further files damaged, but does not touch manifests of newer versions.
        schemaVersion = isOfSegments ? 3 : 2
    }

    func encoded() throws(SpoolError) -> [UInt8] {
        try StoredJSON.spoolDocument(self, "the manifest of \(capture.key)")
    }

    /// The result of reading a manifest.
    enum Reading {
        case whole(CaptureReport)
        /// Written by a newer version of this program, so this version must not change it.
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
            return .whole(try JSONDecoder().decode(CaptureManifest.self, from: data).capture)
        } catch {
            return .damaged("\(error)")
        }
    }
}
