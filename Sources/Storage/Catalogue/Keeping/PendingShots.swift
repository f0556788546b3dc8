internal import CaptureModel

/// Which shots an index lacks, and whether it can be relied on for the others.
///
/// | phase | an index holds | on `note` | next |
/// |---|---|---|---|
/// | behind | whatever it held | kept; beyond the limit only counted, since all will be compared | `begin` → comparing |
/// | comparing | what has been compared so far | as before | `finish` → current; where more were noted than are kept → behind |
/// | current | everything but what is noted | kept; beyond the limit → behind | `take` → a batch is under way, `commit` ends it |
///
/// A failure leads from anywhere to behind.
struct PendingShots: Sendable {
    enum Phase: Hashable, Sendable {
        case behind
        case comparing
        case current
    }

    /// Shots kept by id at most.
    static let limit = 4096

    private(set) var phase = Phase.behind
    private(set) var counters = CatalogueCounters()
    private var waiting: [ShotID: String] = [:]
    private var underWay: [ShotID: String] = [:]
    /// More were noted than are kept.
    private var hasLost = false

    /// How far the index can be relied on.
    var state: IndexState {
        phase == .current ? .current(pending: waiting.merging(underWay) { newest, _ in newest }) : .behind
    }

    var isEmpty: Bool { waiting.isEmpty && underWay.isEmpty }

    mutating func note(_ id: ShotID, day: String) {
        counters.noted += 1
        guard waiting[id] != nil || waiting.count < Self.limit else {
            counters.overflows += 1
            hasLost = true
            if phase == .current { phase = .behind }
            return
        }
        waiting[id] = day
    }

    /// Everything is going to be compared, what was noted included; what is noted from here on is not.
    mutating func begin() {
        phase = .comparing
        (waiting, underWay, hasLost) = ([:], [:], false)
    }

    /// Everything has been compared.
    mutating func finish() {
        phase = hasLost ? .behind : .current
        counters.comparisons += 1
    }

    /// The shots to be written next; they stay known until ``commit()``.
    mutating func take() -> [ShotID: String] {
        underWay.merge(waiting) { $1 }
        waiting = [:]
        return underWay
    }

    /// What was taken is in the index.
    mutating func commit() {
        counters.indexed += underWay.count
        underWay = [:]
    }

    mutating func fail() {
        counters.failures += 1
        phase = .behind
    }
}

/// What a catalogue has done since it began.
public struct CatalogueCounters: Hashable, Sendable {
    /// Changes that it was told of.
    public var noted = 0
    /// Of those, changes for which there was no room, so that the whole library was compared again.
    public var overflows = 0
    /// Shots written into the index one by one.
    public var indexed = 0
    /// Comparisons of the whole library with the index that came to their end.
    public var comparisons = 0
    /// Failures of the index's file.
    public var failures = 0
}
