internal import CaptureModel
internal import RigMatching

/// The id of a run, a UUIDv7 that the requester may choose.
struct MatchRunID: TimeOrderedID {
    let uuid: TimeOrderedUUID

    init(_ uuid: TimeOrderedUUID) { self.uuid = uuid }
}

/// What a run is asked to do. A repeat asks for the same.
struct MatchOrder: Hashable, Sendable {
    var selection: Selection
    var request: MatchRequest
}

/// The runs of a gateway that match or lock cameras, under way and ended. A value type.
///
/// | a request whose id … | decision |
/// |---|---|
/// | is new | carried out |
/// | is that of a run with the same content | that run |
/// | is that of another run | refused |
/// | is new, with a camera of a run under way | refused: that run sets it |
/// | is new, while ``underWayLimit`` runs are under way | refused |
///
/// Of those that have ended, the newest ``keptLimit`` are kept.
struct MatchRunTable<Run: Sendable>: Sendable {
    static var underWayLimit: Int { 2 }
    static var keptLimit: Int { 16 }

    enum Decision {
        /// Whoever carries it out calls ``end(_:)``.
        case new
        case known(Run)
        case other
        case overlapping(DeviceID, with: MatchRunID)
        case tooMany
    }

    private struct Entry {
        var id: MatchRunID
        var order: MatchOrder
        /// Those that it may set; empty once it has ended.
        var cameras: Set<DeviceID>
        var run: Run
    }

    /// In the order in which they began.
    private var underWay: [Entry] = []
    /// In the order in which they ended.
    private var ended: [Entry] = []

    /// All runs, the newest first.
    var runs: [Run] { (underWay + ended).sorted { $0.id > $1.id }.map(\.run) }
    var runsUnderWay: [Run] { underWay.map(\.run) }

    subscript(_ id: MatchRunID) -> Run? { entry(id)?.run }

    /// What becomes of a repeat; nil if the id is new.
    func repeated(_ id: MatchRunID, _ order: MatchOrder) -> Decision? {
        entry(id).map { $0.order == order ? .known($0.run) : .other }
    }

    mutating func begin(_ id: MatchRunID, _ order: MatchOrder, cameras: Set<DeviceID>, _ run: Run) -> Decision {
        if let decision = repeated(id, order) { return decision }
        for other in underWay {
            if let camera = other.cameras.intersection(cameras).min() { return .overlapping(camera, with: other.id) }
        }
        guard underWay.count < Self.underWayLimit else { return .tooMany }
        underWay.append(Entry(id: id, order: order, cameras: cameras, run: run))
        return .new
    }

    mutating func end(_ id: MatchRunID) {
        guard let index = underWay.firstIndex(where: { $0.id == id }) else { return }
        var entry = underWay.remove(at: index)
        entry.cameras = []
        ended.append(entry)
        if ended.count > Self.keptLimit { ended.removeFirst() }
    }

    private func entry(_ id: MatchRunID) -> Entry? { (underWay + ended).first { $0.id == id } }
}
