internal import CaptureModel

/// The shots that an index lacks, and whether the index can be trusted for the others.
///
/// | phase | the index contains | on `note` | next |
/// |---|---|---|---|
/// | behind | an outdated state | kept; beyond the limit only counted, since everything will be compared | `begin` → comparing |
/// | comparing | what has been compared so far | as above | `finish` → current; if more were noted than are kept → behind |
/// | current | everything except noted shots | kept; beyond the limit → behind | `removeAll` starts a batch, `commit` ends it |
///
/// A failure leads from any phase to behind.
struct PendingShots: Sendable {
    enum Phase: Hashable, Sendable {
        case behind
        case comparing
        case current
    }

    /// The most shots kept by id.
    static let limit = 4096

    private(set) var phase = Phase.behind
    private(set) var counters = CatalogueCounters()
    private var waiting: [ShotID: String] = [:]
    private var underWay: [ShotID: String] = [:]
    /// Whether more shots were noted than are kept.
    private var hasLost = false

    /// How far the index can be trusted.
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

    /// Begins a comparison of everything, including shots noted so far. Shots noted later are not included.
    mutating func begin() {
        phase = .comparing
        (waiting, underWay, hasLost) = ([:], [:], false)
    }

    /// Records that everything has been compared.
    mutating func finish() {
        phase = hasLost ? .behind : .current
        counters.comparisons += 1
    }

    /// Returns the shots to write next. They stay known until ``commit()``.
    mutating func removeAll() -> [ShotID: String] {
        underWay.merge(waiting) { $1 }
        waiting = [:]
        return underWay
    }

    /// Records that the shots of the last batch are in the index.
    mutating func commit() {
        counters.indexed += underWay.count
        underWay = [:]
    }

    mutating func fail() {
        counters.failures += 1
        phase = .behind
    }
}

/// Counters of a catalogue, from the start of the process.
public struct CatalogueCounters: Hashable, Sendable {
    /// Changes that were noted.
    public var noted = 0
    /// Changes for which there was no room, after which the complete library was compared again.
    public var overflows = 0
    /// Shots written into the index one by one.
    public var indexed = 0
    /// Comparisons of the complete library with the index that finished.
    public var comparisons = 0
    /// Failures of the index's file.
    public var failures = 0
}
