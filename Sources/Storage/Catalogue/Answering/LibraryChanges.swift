internal import CaptureModel
internal import StorageKit

/// How a library differs from what an index says of it.
struct LibraryChanges {
    /// Shots that have come or changed, with the day they lie in.
    var present: [ShotID: String] = [:]
    /// Shots of the index that have gone.
    var gone: Set<ShotID> = []

    var count: Int { present.count + gone.count }

    /// Compares the shots of one day.
    mutating func compare(
        day: String, found: [ShotEntry], indexed: [ShotID: ShotStamp]
    ) {
        var rest = indexed
        for entry in found where rest.removeValue(forKey: entry.id) != entry.stamp { present[entry.id] = day }
        gone.formUnion(rest.keys)
    }

    /// Whether what the index has of a shot is not to be believed.
    func contains(_ id: ShotID) -> Bool {
        present[id] != nil || gone.contains(id)
    }
}
