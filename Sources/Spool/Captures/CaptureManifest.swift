internal import CaptureModel
internal import Foundation

/// The content of a `capture.json`. It is written after the files it names, so that its presence means they are whole;
/// what it says is owed is not there yet.
struct CaptureManifest: Codable {
    static let currentSchemaVersion = 2

    var schemaVersion = CaptureManifest.currentSchemaVersion
    var capture: CaptureReport

    func encoded() throws(CaptureProblem) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        } catch {
            throw CaptureProblem(.inputOutput, "the manifest of \(capture.key) cannot be written: \(error)")
        }
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
            return .whole(try JSONDecoder().decode(CaptureManifest.self, from: data).capture)
        } catch {
            return .damaged("\(error)")
        }
    }
}
