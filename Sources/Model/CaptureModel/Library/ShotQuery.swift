/// A query for shots or takes of a library. An empty or nil condition restricts nothing. All other conditions must hold.
public struct ShotQuery: Hashable, Sendable {
    /// The range of T on the coordinator's wall clock, in nanoseconds since 1970: `since` is inclusive, `until` is exclusive.
    public var since: Int64?
    public var until: Int64?
    /// The shot has a file of a camera that matches one of these patterns.
    public var devices: [DevicePattern]
    /// The shot has a file of a camera that had one of these labels.
    public var labels: [String]
    /// The shot has a file with one of these outcomes, of a camera that matches `devices` and `labels`.
    public var outcomes: Set<CapturedFile.Outcome>
    public var statuses: Set<Shot.Status>
    /// A part of the title, in upper or lower case.
    public var title: String?
    /// A part of the title or note, in upper or lower case.
    public var text: String?
    /// Whether the query is for takes instead of shots.
    public var isOfTakes: Bool

    public init(
        since: Int64? = nil, until: Int64? = nil, devices: [DevicePattern] = [], labels: [String] = [],
        outcomes: Set<CapturedFile.Outcome> = [], statuses: Set<Shot.Status> = [], title: String? = nil,
        text: String? = nil, isOfTakes: Bool = false
    ) {
        self.since = since
        self.until = until
        self.devices = devices
        self.labels = labels
        self.outcomes = outcomes
        self.statuses = statuses
        self.title = title
        self.text = text
        self.isOfTakes = isOfTakes
    }

    /// Whether it matches every shot.
    public var takesAll: Bool { self == ShotQuery(isOfTakes: isOfTakes) }

    /// Whether it has conditions on cameras or files.
    public var asksForFiles: Bool { !devices.isEmpty || !labels.isEmpty || !outcomes.isEmpty }

    /// Whether a shot with this annotation matches.
    public func matches(_ shot: Shot, _ annotation: ShotAnnotation) -> Bool {
        (shot.take != nil) == isOfTakes
            && matches(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
            && (statuses.isEmpty || statuses.contains(shot.status))
            && (title.map { Self.found($0, in: Self.searchText(annotation.title)) } ?? true)
            && (text.map { Self.found($0, in: Self.searchText(annotation)) } ?? true)
            && (!asksForFiles || shot.captures.contains(where: matches))
    }

    public func matches(realtimeNanoseconds: Int64) -> Bool {
        (since.map { realtimeNanoseconds >= $0 } ?? true) && (until.map { realtimeNanoseconds < $0 } ?? true)
    }

    /// Whether files of a camera match.
    public func matches(_ device: DeviceID, labels: [String]) -> Bool {
        (devices.isEmpty || devices.contains { $0.matches(device) })
            && (self.labels.isEmpty || self.labels.contains(where: labels.contains))
    }

    private func matches(_ capture: Capture) -> Bool {
        matches(capture.device.id, labels: capture.device.labels)
            && capture.files.contains { outcomes.isEmpty || outcomes.contains($0.outcome) }
    }

    /// Compares bytes, as every index can.
    private static func found(_ part: String, in searched: String) -> Bool {
        Array(searched.utf8).contains(Array(searchText(part).utf8))
    }

    /// The form of a text used for comparison: upper and lower case are the same in every script.
    public static func searchText(_ text: String) -> String { text.lowercased() }

    public static func searchText(_ annotation: ShotAnnotation) -> String {
        searchText(annotation.title) + "\n" + searchText(annotation.note)
    }
}

/// The title and note of a shot, written by people: the content of `annotation.json` beside its manifest.
public struct ShotAnnotation: Hashable, Codable, Sendable {
    public static let currentSchemaVersion = 1
    /// The longest title and note, in bytes of UTF-8.
    public static let longestTitle = 256
    public static let longestNote = 16_384

    public var schemaVersion: Int = ShotAnnotation.currentSchemaVersion
    /// One line; empty if there is none.
    public var title: String
    /// One or several lines; empty if there is none.
    public var note: String

    public init(title: String = "", note: String = "") {
        self.title = title
        self.note = note
    }

    public var isEmpty: Bool { title.isEmpty && note.isEmpty }

    /// A sentence that says what is wrong with it; nil if it may be stored.
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

/// A change of a shot's annotation. nil leaves a text as it is, an empty text removes it.
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
