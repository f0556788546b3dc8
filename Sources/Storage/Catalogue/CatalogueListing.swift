public import CaptureModel

/// What a catalogue tells of shots.
public struct CatalogueListing: Hashable, Sendable {
    public var shots: [CatalogueEntry]
    /// Manifests that cannot be read and lie between the first and the last shot of the page, or where the page is the
    /// last one, after it; at most as many as the page may have shots. Whether these shots are meant is not known.
    public var damaged: [DamagedShot]
    /// How many more of them there are.
    public var moreDamaged = 0
    /// How the answer was found.
    public var source: Source

    public enum Source: Hashable, Sendable {
        /// From the index; so many shots had changed since it was written and were read from their manifests.
        case index(changed: Int)
        /// From the manifests alone, since the index was of no use.
        case manifests(reason: String)
    }

    public init(shots: [CatalogueEntry] = [], damaged: [DamagedShot] = [], source: Source) {
        self.shots = shots
        self.damaged = damaged
        self.source = source
    }

    /// Keeps the first so many damaged ones, and counts the others.
    mutating func cutDamaged(to limit: Int) {
        moreDamaged = max(damaged.count - limit, 0)
        damaged.removeLast(moreDamaged)
    }
}

/// A shot whose manifest cannot be read.
public struct DamagedShot: Hashable, Sendable, CustomStringConvertible {
    public var id: ShotID
    public var day: String
    /// The manifest's path and what is wrong with it.
    public var description: String

    static func isNewer(_ left: DamagedShot, _ right: DamagedShot) -> Bool {
        (left.day, left.id) > (right.day, right.id)
    }
}

/// A shot as lists show it.
public struct CatalogueEntry: Hashable, Sendable {
    public var id: ShotID
    /// The day's folder inside the library, `YYYY/MM/DD`.
    public var day: String
    public var status: Shot.Status
    /// T on the coordinator's wall clock, nanoseconds since 1970.
    public var realtimeNanoseconds: Int64
    /// Captures expected, and those of which every file is stored.
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

    /// Whether it comes before another in lists.
    static func isNewer(_ left: CatalogueEntry, _ right: CatalogueEntry) -> Bool {
        (left.day, left.id) > (right.day, right.id)
    }
}
