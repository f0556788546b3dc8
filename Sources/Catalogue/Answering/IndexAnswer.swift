internal import CaptureModel
internal import GRDB
internal import Library

/// Answers from an index, and from the manifests of those shots that are not as the index has them.
///
/// Every line of an answer is as the files say at that time: before it is given, the stamps of the shots in it are compared
/// once more. What can be missed is a shot whose manifest somebody has edited in place, on a day that is believed
/// (``LibraryComparison``), and which is only now one of those meant.
struct IndexAnswer {
    let library: LibraryReader
    let index: IndexReading
    /// The manifests read for one answer at most; beyond it, reading all of them in order is no worse.
    static let mostChanges = 2000

    func shots(_ page: ShotPage, _ state: IndexState) throws -> CatalogueListing {
        let comparison = LibraryComparison(library: library, index: index, believesDays: try believesDays(state))
        var changes = try comparison.changes(for: page.query, limit: Self.mostChanges)
        if case .current(let pending) = state { changes.present.merge(pending) { $1 } }
        while true {
            let (listing, outdated) = try shots(page, changes)
            if outdated.isEmpty { return listing }
            changes.present.merge(outdated) { $1 }
            if changes.count > Self.mostChanges { throw IndexFault.farBehind }
        }
    }

    private func believesDays(_ state: IndexState) throws -> Bool {
        switch state {
        case .current: true
        case .behind: false
        case .asMarked: try index.isClean()
        }
    }

    /// The answer given these changes, and the shots in it that have changed besides.
    private func shots(
        _ page: ShotPage, _ changes: LibraryChanges
    ) throws -> (CatalogueListing, outdated: [ShotID: String]) {
        var listing = CatalogueListing(source: .index(changed: changes.count))
        var start: IndexSelect.Start?
        if let before = page.before {
            guard let day = try changes.present[before] ?? index.day(of: before) ?? library.day(of: before) else {
                return (listing, [:])
            }
            start = (day, before)
        }
        for (id, day) in changes.present where start.map({ (day, id) < $0 }) ?? true {
            if let record = try library.record(of: id, day: day) { listing.take(record, page) }
        }
        var outdated = try addIndexed(page, start, changes, to: &listing)
        listing.shots = Array(listing.shots.sorted(by: CatalogueEntry.isNewer).prefix(page.limit))
        outdated.merge(try addDamaged(page, start, changes, to: &listing)) { $1 }
        return (listing, outdated)
    }

    private func addIndexed(
        _ page: ShotPage, _ start: IndexSelect.Start?, _ changes: LibraryChanges, to listing: inout CatalogueListing
    ) throws -> [ShotID: String] {
        let cameras = page.query.asksForFiles ? try index.cameras(page.query) : []
        let select = IndexSelect(page.query, cameras: cameras, before: start)
        let rows = try select.rows(index.db, CatalogueEntry.columns)
        var (outdated, taken) = ([ShotID: String](), 0)
        while taken < page.limit, let row = try rows.next() {
            guard let entry = try CatalogueEntry(row), !changes.contains(entry.id) else { continue }
            if try library.stamp(of: entry.id, day: entry.day) != ShotStamp(row) { outdated[entry.id] = entry.day }
            listing.shots.append(entry)
            taken += 1
        }
        return outdated
    }

    private func addDamaged(
        _ page: ShotPage, _ start: IndexSelect.Start?, _ changes: LibraryChanges, to listing: inout CatalogueListing
    ) throws -> [ShotID: String] {
        let end = listing.shots.count == page.limit ? listing.shots.last : nil
        listing.damaged.removeAll { damaged in end.map { (damaged.day, damaged.id) < ($0.day, $0.id) } ?? false }
        let rows = try IndexSelect.damaged(page.query, before: start).rows(
            index.db, "uuid, day, problem, manifestStamp, annotationStamp")
        var (outdated, taken) = ([ShotID: String](), 0)
        while let row = try rows.next() {
            guard let id = ShotID(try row.decode(String.self, forColumn: "uuid")), !changes.contains(id) else {
                continue
            }
            let day: String = try row.decode(forColumn: "day")
            if let end, (day, id) < (end.day, end.id) { break }
            taken += 1
            if taken <= page.limit, try library.stamp(of: id, day: day) != ShotStamp(row) { outdated[id] = day }
            listing.damaged.append(DamagedShot(id: id, day: day, description: try row.decode(forColumn: "problem")))
        }
        listing.damaged.sort(by: DamagedShot.isNewer)
        listing.cutDamaged(to: page.limit)
        return outdated
    }
}
