public import CaptureModel

/// A catalogue's answer about shots.
public struct CatalogueListing: Hashable, Sendable {
    public var shots: [CatalogueEntry]
    /// Manifests that cannot be read between the first and the last shot of the page or, on the last page, after its first shot. At most as
    /// many as the page's limit of shots. It is unknown whether these shots match.
    public var damaged: [UnreadableShot]
    /// The number of further unreadable manifests.
    public var moreDamaged = 0
    /// How the answer was found.
    public var source: Source

    public enum Source: Hashable, Sendable {
        /// From the index. `changed` shots had changed after it was written and were read from their manifests.
        case index(changed: Int)
        /// From the manifests alone, since the index could not be used.
        case manifests(reason: String)
    }

    public init(shots: [CatalogueEntry] = [], damaged: [UnreadableShot] = [], source: Source) {
        self.shots = shots
        self.damaged = damaged
        self.source = source
    }

    /// Keeps the first `limit` damaged shots, and counts the others.
    mutating func cutDamaged(to limit: Int) {
        moreDamaged = max(damaged.count - limit, 0)
        damaged.removeLast(moreDamaged)
    }
}

/// A shot whose manifest cannot be read.
public struct UnreadableShot: Hashable, Sendable, CustomStringConvertible {
    public var id: ShotID
    public var day: String
    /// The manifest's path and the problem.
    public var description: String

    /// The shot's folder inside the library.
    public var folder: String { "\(day)/\(id)" }

    static func isNewer(_ left: UnreadableShot, _ right: UnreadableShot) -> Bool {
        (left.day, left.id) > (right.day, right.id)
    }
}

/// A shot in a list.
public struct CatalogueEntry: Hashable, Sendable {
    public var id: ShotID
    /// The day's folder inside the library, `YYYY/MM/DD`.
    public var day: String
    public var status: Shot.Status
    /// T on the coordinator's wall clock, nanoseconds since 1970.
    public var realtimeNanoseconds: Int64
    /// The number of expected captures, and of those whose files are all stored.
    public var expected: Int
    public var done: Int
    public var title: String

    /// The shot's folder inside the library.
    public var folder: String { "\(day)/\(id)" }

    init(
        id: ShotID, day: String, status: Shot.Status, realtimeNanoseconds: Int64, expected: Int, done: Int,
        title: String
    ) {
        self.id = id
        self.day = day
        self.status = status
        self.realtimeNanoseconds = realtimeNanoseconds
        self.expected = expected
        self.done = done
        self.title = title
    }

    public init(_ shot: Shot, _ annotation: ShotAnnotation, day: String) {
        self.init(
            id: shot.id, day: day, status: shot.status,
            realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time), expected: shot.captures.count,
            done: shot.captures.count { $0.phase == .done }, title: annotation.title)
    }

    /// Whether it precedes another entry in lists.
    static func isNewer(_ left: CatalogueEntry, _ right: CatalogueEntry) -> Bool {
        (left.day, left.id) > (right.day, right.id)
    }
}

/// A query for one page of shots.
public struct ShotPage: Hashable, Sendable {
    public var query: ShotQuery
    /// The most shots to return.
    public var limit: Int
    /// The last shot of the previous page, to continue after it. An unknown shot gives an empty page.
    public var before: ShotID?

    public init(_ query: ShotQuery, limit: Int, before: ShotID? = nil) {
        self.query = query
        self.limit = limit
        self.before = before
    }
}
