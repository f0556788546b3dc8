internal import CaptureModel
internal import GRDB
internal import StorageKit

/// Answers from an index, and from the manifests of those shots that are not as the index has them.
///
/// Every line of an answer is as the store says at that time: before it is given, the stamps of the shots in it are compared
/// once more. What can be missed is a shot whose manifest somebody has edited in place, on a day that is believed
/// (``LibraryComparison``), and which is only now one of those meant.
struct IndexAnswer {
    let library: any ShotReading
    let index: IndexDatabase
    /// The manifests read for one answer at most; beyond it, reading all of them in order is no worse.
    static let mostChanges = 2000

    func shots(_ page: ShotPage, _ state: IndexState) async throws -> CatalogueListing {
        let comparison = LibraryComparison(library: library, index: index, believesDays: try believesDays(state))
        var changes = try await comparison.changes(for: page.query, limit: Self.mostChanges)
        if case .current(let pending) = state { changes.present.merge(pending) { $1 } }
        while true {
            let (listing, outdated) = try await shots(page, changes)
            if outdated.isEmpty { return listing }
            changes.present.merge(outdated) { $1 }
            if changes.count > Self.mostChanges { throw IndexFault.farBehind }
        }
    }

    private func believesDays(_ state: IndexState) throws -> Bool {
        switch state {
        case .current: true
        case .behind: false
        case .asMarked: try index.read { try $0.isClean() }
        }
    }

    /// The answer given these changes, and the shots in it that have changed besides.
    private func shots(
        _ page: ShotPage, _ changes: LibraryChanges
    ) async throws -> (CatalogueListing, outdated: [ShotID: String]) {
        var listing = CatalogueListing(source: .index(changed: changes.count))
        var start: IndexSelect.Start?
        if let before = page.before {
            guard let day = try await day(of: before, changes) else { return (listing, [:]) }
            start = (day, before)
        }
        for (id, day) in changes.present where start.map({ (day, id) < $0 }) ?? true {
            if let record = try await library.record(of: id, day: day) { listing.take(record, page) }
        }
        let indexed = try index.read { try $0.entries(page, after: start, without: changes) }
        var outdated: [ShotID: String] = [:]
        for (entry, stamp) in indexed {
            if try await library.stamp(of: entry.id, day: entry.day) != stamp { outdated[entry.id] = entry.day }
            listing.shots.append(entry)
        }
        listing.shots = Array(listing.shots.sorted(by: CatalogueEntry.isNewer).prefix(page.limit))
        outdated.merge(try await addDamaged(page, start, changes, to: &listing)) { $1 }
        return (listing, outdated)
    }

    private func day(of id: ShotID, _ changes: LibraryChanges) async throws -> String? {
        if let day = try changes.present[id] ?? index.read({ try $0.day(of: id) }) { return day }
        return try await library.day(of: id)
    }

    private func addDamaged(
        _ page: ShotPage, _ start: IndexSelect.Start?, _ changes: LibraryChanges, to listing: inout CatalogueListing
    ) async throws -> [ShotID: String] {
        let end = listing.shots.count == page.limit ? listing.shots.last.map { (day: $0.day, id: $0.id) } : nil
        listing.damaged.removeAll { damaged in end.map { (damaged.day, damaged.id) < $0 } ?? false }
        let indexed = try index.read { try $0.damaged(page.query, after: start, to: end, without: changes) }
        var outdated: [ShotID: String] = [:]
        for (shot, stamp) in indexed.prefix(page.limit) {
            if try await library.stamp(of: shot.id, day: shot.day) != stamp { outdated[shot.id] = shot.day }
        }
        listing.damaged += indexed.map(\.shot)
        listing.damaged.sort(by: DamagedShot.isNewer)
        listing.cutDamaged(to: page.limit)
        return outdated
    }
}

extension IndexReading {
    /// The shots of a page, at most as many as it may have, with the stamps they had when they were read.
    fileprivate func entries(
        _ page: ShotPage, after start: IndexSelect.Start?, without changes: LibraryChanges
    ) throws -> [(entry: CatalogueEntry, stamp: ShotStamp)] {
        let cameras = page.query.asksForFiles ? try cameras(page.query) : []
        let rows = try IndexSelect(page.query, cameras: cameras, before: start).rows(db, CatalogueEntry.columns)
        var found: [(CatalogueEntry, ShotStamp)] = []
        while found.count < page.limit, let row = try rows.next() {
            guard let entry = try CatalogueEntry(row), !changes.contains(entry.id) else { continue }
            found.append((entry, try ShotStamp(row)))
        }
        return found
    }

    /// The manifests that could not be read, from `start` to `end`.
    fileprivate func damaged(
        _ query: ShotQuery, after start: IndexSelect.Start?, to end: IndexSelect.Start?, without changes: LibraryChanges
    ) throws -> [(shot: DamagedShot, stamp: ShotStamp)] {
        let rows = try IndexSelect.damaged(query, before: start).rows(
            db, "uuid, day, problem, manifestStamp, annotationStamp")
        var found: [(DamagedShot, ShotStamp)] = []
        while let row = try rows.next() {
            guard let id = ShotID(try row.decode(String.self, forColumn: "uuid")), !changes.contains(id) else {
                continue
            }
            let day: String = try row.decode(forColumn: "day")
            if let end, (day, id) < end { break }
            let description: String = try row.decode(forColumn: "problem")
            found.append((DamagedShot(id: id, day: day, description: description), try ShotStamp(row)))
        }
        return found
    }
}
