internal import CaptureModel
internal import FoundationEssentials
internal import ShotDocuments

/// The content of a file in JSON that says its version.
protocol VersionedDocument: Codable, SendableMetatype {
    associatedtype Content: Sendable

    /// The versions that are read.
    static var schemaVersions: ClosedRange<Int> { get }
    /// The version of this content: the lowest one whose programs do not misread it.
    var schemaVersion: Int { get }

    init(_ content: Content)

    /// - Throws: If values that JSON allows are not those of a content.
    func content() throws -> Content
}

extension VersionedDocument {
    static func content(in bytes: [UInt8]) throws -> Content {
        let document = try JSONDecoder().decode(Self.self, from: Data(bytes))
        guard schemaVersions.contains(document.schemaVersion) else {
            let (first, last) = (schemaVersions.lowerBound, schemaVersions.upperBound)
            throw DocumentError(
                .newerVersion, "read", "the document",
                "it has schema version \(document.schemaVersion), this program knows \(first == last ? "\(first)" : "\(first) to \(last)")"
            )
        }
        return try document.content()
    }

    static func encoded(_ content: Content) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(Self(content)))
    }
}
