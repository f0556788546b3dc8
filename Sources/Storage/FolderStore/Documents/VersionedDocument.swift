internal import CaptureModel
internal import FoundationEssentials
internal import ShotDocuments

/// The content of a file in JSON that says its version.
protocol VersionedDocument: Codable, SendableMetatype {
    associatedtype Content: Sendable

    static var currentSchemaVersion: Int { get }
    var schemaVersion: Int { get }

    init(_ content: Content)

    /// - Throws: If values that JSON allows are not those of a content.
    func content() throws -> Content
}

extension VersionedDocument {
    static func content(in bytes: [UInt8]) throws -> Content {
        let document = try JSONDecoder().decode(Self.self, from: Data(bytes))
        guard document.schemaVersion == currentSchemaVersion else {
            throw DocumentError(
                .newerVersion, "read", "the document",
                "it has schema version \(document.schemaVersion), this program knows \(currentSchemaVersion)")
        }
        return try document.content()
    }

    static func encoded(_ content: Content) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(Self(content)))
    }
}
