public import CaptureModel
internal import FoundationEssentials
internal import PosixSupport

/// The content of a `shot.json` or `take.json`: the shot, and for people its instants as dates.
public struct ShotManifest {
    public var shot: Shot

    /// Bytes of the longest manifest that is read. No rig is so large that its manifest comes near.
    public static let longest = 64 << 20

    public init(shot: Shot) {
        self.shot = shot
    }

    /// - Throws: `inputOutput`.
    public func encoded() throws(CaptureProblem) -> [UInt8] {
        try StoredJSON.encoded(DatedShotDocument(shot: shot), "the manifest of shot \(shot.id)")
    }

    /// The shot in the bytes of a manifest, which may come from anyone. Manifests of earlier schema versions are read too.
    /// - Throws: `corrupted` with what is wrong; the file's name is the caller's to add.
    public static func decode(_ bytes: [UInt8]) throws(CaptureProblem) -> Shot {
        struct Version: Decodable {
            var schemaVersion: Int
        }
        let version: Int
        do {
            let data = Data(bytes)
            version = try JSONDecoder().decode(Version.self, from: data).schemaVersion
            if version <= Shot.currentSchemaVersion {
                return try JSONDecoder().decode(ShotDocument.self, from: data).value
            }
        } catch {
            throw CaptureProblem(.corrupted, "it is no shot manifest: \(error)")
        }
        throw CaptureProblem(
            .corrupted, "it has schema version \(version), which needs a newer version of this program")
    }
}

/// A shot's document with its dates, which are written and never read.
private struct DatedShotDocument: Encodable {
    var shot: Shot

    /// Named so that sorted keys put each date beside its nanoseconds.
    private enum CodingKeys: String, CodingKey {
        case timeISO8601 = "timeISO8601"
        case settledAtISO8601 = "settledAtISO8601"
    }

    func encode(to encoder: any Encoder) throws {
        try ShotDocument(shot).encode(to: encoder)
        var dates = encoder.container(keyedBy: CodingKeys.self)
        try dates.encode(iso8601(shot.time), forKey: .timeISO8601)
        try dates.encodeIfPresent(shot.settledAt.map(iso8601), forKey: .settledAtISO8601)
    }

    private func iso8601(_ time: RigTime) -> String {
        UTCDate(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: time)).description
    }
}
