/// What people write about a shot: the content of `annotation.json` beside its manifest.
public struct ShotAnnotation: Hashable, Codable, Sendable {
    public static let currentSchemaVersion = 1
    /// The longest title and note, bytes of UTF-8.
    public static let longestTitle = 256
    public static let longestNote = 16_384

    public var schemaVersion: Int = ShotAnnotation.currentSchemaVersion
    /// One line; empty where there is none.
    public var title: String
    /// May have several lines; empty where there is none.
    public var note: String

    public init(title: String = "", note: String = "") {
        self.title = title
        self.note = note
    }

    public var isEmpty: Bool { title.isEmpty && note.isEmpty }

    /// What is wrong with it, as a sentence; nil where it may be stored.
    public var problem: String? {
        if title.utf8.count > Self.longestTitle {
            return "the title has \(title.utf8.count) bytes; at most \(Self.longestTitle) are kept"
        }
        if title.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "the title is one line without control characters; longer texts go into the note"
        }
        if note.utf8.count > Self.longestNote {
            return "the note has \(note.utf8.count) bytes; at most \(Self.longestNote) are kept"
        }
        return nil
    }
}

/// A change of what is written about a shot; nil leaves what is there, an empty text removes it.
public struct ShotAnnotationEdit: Hashable, Sendable {
    public var title: String?
    public var note: String?

    public init(title: String? = nil, note: String? = nil) {
        self.title = title
        self.note = note
    }

    public func applied(to annotation: ShotAnnotation) -> ShotAnnotation {
        ShotAnnotation(title: title ?? annotation.title, note: note ?? annotation.note)
    }
}
