public import CaptureModel

/// A file of an export, with what became of it.
public struct ExportedFile: Hashable, Codable, Sendable {
    public var shot: ShotID
    public var device: DeviceID
    public var kind: AssetKind
    public var outcome: Outcome
    /// Path inside the export; absent where it is not there.
    public var path: String?
    /// Why it is not there, or, of a movie that is, why it is in no timeline; a sentence.
    public var reason: String?
    public var byteCount: Int64?
    /// SHA-256 of its bytes, hexadecimal: that of the manifest, which was compared on the way.
    public var sha256: String?
    /// Mid-exposure minus T, and the largest error of it, where that is known.
    public var skewNanoseconds: Int64?
    public var boundNanoseconds: Int64?

    public enum Outcome: String, Hashable, Codable, Sendable, CaseIterable {
        /// The same file as the library's, under a second name.
        case linked
        case copied
        /// The shot was to have it and does not: its outcome in the manifest is none of `done` and `late`.
        case absent
        /// The manifest says that the library has it, and it is not there.
        case missing
        /// Its bytes are not those the manifest names.
        case altered
        /// It could not be read.
        case unreadable

        /// Whether the export has the file.
        public var isThere: Bool { self == .linked || self == .copied }
    }
}

/// What an export has become: also the content of its `export.json`.
public struct ExportReport: Hashable, Codable, Sendable {
    public static let currentSchemaVersion = 1

    public var schemaVersion = ExportReport.currentSchemaVersion
    public var layout: ExportLayout
    /// The library it was made from.
    public var library: String
    public var shots: [ShotID]
    public var files: [ExportedFile]

    /// Whether every file that the shots were to have, and the layout takes, is there, and in its timeline.
    public var isComplete: Bool { files.allSatisfy { $0.outcome.isThere && $0.reason == nil } }
    /// Whether no file is there, so that no folder was made.
    public var isEmpty: Bool { !files.contains { $0.outcome.isThere } }
}
