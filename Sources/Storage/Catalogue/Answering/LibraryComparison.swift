internal import CaptureModel
internal import StorageKit

/// Compares an index with its library, as thoroughly as the state of the index requires.
///
/// | index | a day whose folder is unchanged | any other day |
/// |---|---|---|
/// | closed complete, or kept current by a coordinator of this process | trusted | each shot's stamps are compared |
/// | not closed: its writer runs elsewhere, or was interrupted | each shot's stamps are compared | each shot's stamps are compared |
struct LibraryComparison {
    let library: any ShotReading
    let index: IndexDatabase
    /// Whether the index is trusted for days that are unchanged.
    let believesDays: Bool

    /// - Parameters:
    ///   - query: Limits the comparison to its days.
    ///   - limit: The most changes. More are an error.
    /// - Throws: ``IndexFault/farBehind``; `StorageError` if the library cannot be read.
    func changes(for query: ShotQuery, limit: Int) async throws -> LibraryChanges {
        let (known, indexed) = try index.read { (try $0.days(), try $0.indexedDays()) }
        var rest = indexed
        var changes = LibraryChanges()
        for day in try await library.days() {
            rest.remove(day.name)
            guard query.includesDay(day.name) else { continue }
            if believesDays, let version = known[day.name], version == day.version, !version.isEmpty { continue }
            changes.compare(
                day: day.name, found: try await library.list(day.name),
                indexed: try index.read { try $0.stamps(of: day.name) })
            if changes.count > limit { throw IndexFault.farBehind }
        }
        for day in rest { changes.gone.formUnion(try index.read { try $0.stamps(of: day).keys }) }
        return changes
    }
}

extension ShotQuery {
    /// Returns whether shots of this day can match.
    func includesDay(_ path: String) -> Bool {
        (since.map { path >= ShotDay.name(atRealtimeNanoseconds: $0) } ?? true)
            && (until.map { path <= ShotDay.name(atRealtimeNanoseconds: $0) } ?? true)
    }
}

/// The differences between a library and its index.
struct LibraryChanges {
    /// Shots that are new or changed, with their day.
    var present: [ShotID: String] = [:]
    /// Shots of the index that the library does not have.
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

    /// Returns whether the index is outdated for a shot.
    func contains(_ id: ShotID) -> Bool {
        present[id] != nil || gone.contains(id)
    }
}

/// Answers from the manifests alone: correct in any state of the index, and as slow as reading all manifests.
struct ManifestScan {
    let library: any ShotReading

    func shots(_ page: ShotPage, reason: String) async throws(StorageError) -> CatalogueListing {
        var listing = CatalogueListing(source: .manifests(reason: reason))
        var start: (day: String, id: ShotID)?
        if let before = page.before {
            guard let day = try await library.day(of: before) else { return listing }
            start = (day, before)
        }
        days: for day in try await library.days().map(\.name) where page.query.includesDay(day) {
            for id in try await library.list(day).map(\.id).reversed() {
                if let start, (day, id) >= start { continue }
                guard listing.shots.count < page.limit else { break days }
                if let record = try await library.record(of: id, day: day) { listing.add(record, page) }
            }
        }
        listing.cutDamaged(to: page.limit)
        return listing
    }
}

extension CatalogueListing {
    /// Adds a record if it matches the page's query.
    mutating func add(_ record: ShotRecord, _ page: ShotPage) {
        switch record.content {
        case .shot(let shot, let annotation):
            if page.query.matches(shot, annotation) {
                shots.append(CatalogueEntry(shot, annotation, day: record.day))
            }
        case .damaged(let manifest):
            damaged.append(UnreadableShot(id: record.id, day: record.day, description: manifest.description))
        case .unbegun: break
        }
    }
}
