internal import CaptureModel

/// How simultaneous the newest shots were, for a chart: what the events say that settled them.
struct ShotSpreads {
    /// The shots that are kept, the newest.
    static let limit = 200

    struct Entry: Hashable {
        var shot: ShotID
        /// `CLOCK_REALTIME` of the coordinator when the shot was settled, nanoseconds.
        var realtimeNanoseconds: Int64
        var simultaneity: Simultaneity
    }

    /// In the order in which they were taken, which is that of their ids.
    private(set) var entries: [Entry] = []

    /// Notes a shot that is settled, and its later revisions. A shot of which fewer than two pictures can be compared has no
    /// entry, and neither has a deleted one. An event may come twice; other events change nothing.
    mutating func add(_ event: RigEvent) {
        guard [.shotSettled, .shotDeleted].contains(event.name), let shot = event.shot else { return }
        let next = entries.lastIndex { $0.shot <= shot }.map { $0 + 1 } ?? 0
        let known = next > 0 && entries[next - 1].shot == shot ? next - 1 : nil
        guard let simultaneity = Simultaneity(eventDetails: event.details) else {
            if let known { entries.remove(at: known) }
            return
        }
        if let known {
            entries[known].simultaneity = simultaneity
            return
        }
        // Also a late revision of a shot that was dropped.
        guard entries.count < Self.limit || next > 0 else { return }
        entries.insert(
            Entry(shot: shot, realtimeNanoseconds: event.realtimeNanoseconds, simultaneity: simultaneity), at: next)
        if entries.count > Self.limit { entries.removeFirst() }
    }
}
