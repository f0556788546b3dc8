internal import CaptureModel
internal import CaptureSystem
internal import Foundation
internal import PosixSupport

/// The content of a `shot.json`: the shot, and for people its instants as dates.
struct ShotManifest {
    var shot: Shot

    /// No rig is so large that its manifest comes near.
    static let longest = 64 << 20

    func encoded() throws(CaptureProblem) -> [UInt8] {
        try LibraryJSON.encoded(self, "the manifest of shot \(shot.id)")
    }

    /// - Throws: `corrupted` with what is wrong; the file's name is the caller's to add.
    static func decode(_ bytes: [UInt8]) throws(CaptureProblem) -> Shot {
        struct Version: Decodable {
            var schemaVersion: Int
        }
        let version: Int
        do {
            let data = Data(bytes)
            version = try JSONDecoder().decode(Version.self, from: data).schemaVersion
            if version <= Shot.currentSchemaVersion { return try JSONDecoder().decode(Shot.self, from: data) }
        } catch {
            throw CaptureProblem(.corrupted, "it is no shot manifest: \(error)")
        }
        throw CaptureProblem(
            .corrupted, "it has schema version \(version), which needs a newer version of this program")
    }
}

extension ShotManifest: Encodable {
    /// Named so that sorted keys put each date beside its nanoseconds.
    private enum DateKeys: String, CodingKey {
        case timeISO8601
        case settledAtISO8601
    }

    func encode(to encoder: any Encoder) throws {
        try shot.encode(to: encoder)
        var dates = encoder.container(keyedBy: DateKeys.self)
        try dates.encode(iso8601(shot.time), forKey: .timeISO8601)
        try dates.encodeIfPresent(shot.settledAt.map(iso8601), forKey: .settledAtISO8601)
    }

    private func iso8601(_ time: RigTime) -> String {
        UTCDate(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: time)).description
    }
}
