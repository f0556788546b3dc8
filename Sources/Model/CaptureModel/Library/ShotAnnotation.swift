/// What people have written about a shot: the content of `annotation.json` beside its manifest.
public struct ShotAnnotation: Hashable, Sendable {
    /// The newest version of the document.
    public static let currentSchemaVersion = 2
    /// The longest title and note, in bytes of UTF-8.
    public static let longestTitle = 256
    public static let longestNote = 16_384
    /// The most cameras whose pictures are rejected.
    public static let mostRejected = 4096

    /// One line; empty if there is none.
    public var title: String
    /// One or several lines; empty if there is none.
    public var note: String
    /// The cameras whose pictures of the shot are rejected, in order. Their files stay in the library.
    public var rejected: [DeviceID]

    public init(title: String = "", note: String = "", rejected: some Sequence<DeviceID> = []) {
        self.title = title
        self.note = note
        self.rejected = Set(rejected).sorted()
    }

    public var isEmpty: Bool { title.isEmpty && note.isEmpty && rejected.isEmpty }

    /// The version of the document that contains it: the first that has a place for all of it. So programs of an older version read what
    /// they know, and do not drop what they do not know.
    public var schemaVersion: Int { rejected.isEmpty ? 1 : 2 }

    /// A sentence that says what is wrong with it; nil if it may be stored.
    public var problem: String? {
        if title.hasUnprintable {
            return
                "the title is one line without control characters and characters that change the direction of text; longer texts go into the note"
        }
        return storedProblem
    }

    /// A sentence that says what is wrong with a stored one; nil if some version may have stored it.
    public var storedProblem: String? {
        if title.hasControls { return "the title is one line without control characters" }
        if title.utf8.count > Self.longestTitle {
            return "the title has \(title.utf8.count) bytes; at most \(Self.longestTitle) are kept"
        }
        if note.utf8.count > Self.longestNote {
            return "the note has \(note.utf8.count) bytes; at most \(Self.longestNote) are kept"
        }
        if rejected.count > Self.mostRejected {
            return "pictures of \(rejected.count) cameras are rejected; at most \(Self.mostRejected) are kept"
        }
        return nil
    }
}

extension ShotAnnotation: Codable {
    private enum Key: String, CodingKey {
        case schemaVersion, title, note, rejected
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        self.init(
            title: try members.decodeIfPresent(String.self, forKey: .title) ?? "",
            note: try members.decodeIfPresent(String.self, forKey: .note) ?? "",
            rejected: try members.decodeIfPresent([DeviceID].self, forKey: .rejected) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(schemaVersion, forKey: .schemaVersion)
        try members.encode(title, forKey: .title)
        try members.encode(note, forKey: .note)
        if !rejected.isEmpty { try members.encode(rejected, forKey: .rejected) }
    }
}
