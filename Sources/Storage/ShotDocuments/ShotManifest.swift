public import CaptureModel
internal import FoundationEssentials
internal import PosixSupport

/// The content of a `shot.json` or `take.json`: the shot, and its instants as dates for people.
public struct ShotManifest {
    public var shot: Shot

    /// The size of the longest manifest that is read, in bytes. No rig is large enough to come close.
    public static let longest = 64 << 20

    public init(shot: Shot) {
        self.shot = shot
    }

    /// - Throws: `unencodable`.
    public func encoded() throws(DocumentError) -> [UInt8] {
        try StoredJSON.encoded(DatedShotDocument(shot: shot), "the manifest of shot \(shot.id)")
    }

    /// Returns the shot in the bytes of a manifest, which may be from an untrusted source. Earlier schema versions are read too.
    /// - Throws: `damaged`, `newerVersion` with the problem. The caller adds the file's name.
    public static func decode(_ bytes: [UInt8]) throws(DocumentError) -> Shot {
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
            throw DocumentError(.damaged, "read", "a manifest", "it is not a shot manifest: \(error)")
        }
        throw DocumentError(
            .newerVersion, "read", "a manifest",
            "it has schema version \(version), which needs a newer version of this program")
    }
}

/// A shot's document with its dates, which are written and never read.
private struct DatedShotDocument: Encodable {
    var shot: Shot

    /// Named so that sorted keys put each date next to its nanoseconds.
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
