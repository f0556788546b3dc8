public import CaptureModel
internal import SQLite
public import StorageKit

/// Answers from an index, and from the manifests of shots whose stamps differ from the index.
///
/// Every line of an answer matches the store at that time: before the answer is returned, the stamps of its shots are compared once more.
/// One case is missed: a shot that matches only because somebody edited its manifest in place, on a day that is not compared
/// (``LibraryComparison``).
struct IndexAnswer {
    let library: any ShotReading
    let index: IndexDatabase
    /// The most manifests to read for one answer. Beyond it, reading all manifests in order is not slower.
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

    /// Returns the answer under these changes, and the shots in it that have also changed.
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
            if let record = try await library.record(of: id, day: day) { listing.add(record, page) }
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
        listing.damaged.sort(by: UnreadableShot.isNewer)
        listing.cutDamaged(to: page.limit)
        return outdated
    }
}

extension IndexRows {
    /// Returns the shots of a page, up to its limit, with their stamps when they were indexed.
    fileprivate func entries(
        _ page: ShotPage, after start: IndexSelect.Start?, without changes: LibraryChanges
    ) throws -> [(entry: CatalogueEntry, stamp: ShotStamp)] {
        let cameras = page.query.asksForFiles ? try cameras(page.query) : []
        let rows = try IndexSelect(page.query, cameras: cameras, before: start).rows(db, CatalogueEntry.columns)
        var found: [(CatalogueEntry, ShotStamp)] = []
        while found.count < page.limit, try rows.step() {
            guard let entry = try CatalogueEntry(rows), !changes.contains(entry.id) else { continue }
            found.append((entry, try ShotStamp(rows, at: CatalogueEntry.stampColumn)))
        }
        return found
    }

    /// Returns the manifests that could not be read, from `start` to `end`.
    fileprivate func damaged(
        _ query: ShotQuery, after start: IndexSelect.Start?, to end: IndexSelect.Start?, without changes: LibraryChanges
    ) throws -> [(shot: UnreadableShot, stamp: ShotStamp)] {
        let rows = try IndexSelect.damaged(query, before: start).rows(
            db, "uuid, day, problem, manifestStamp, annotationStamp")
        var found: [(UnreadableShot, ShotStamp)] = []
        while try rows.step() {
            guard let id = ShotID(try rows.text(at: 0)), !changes.contains(id) else { continue }
            let day = try rows.text(at: 1)
            if let end, (day, id) < end { break }
            let damaged = UnreadableShot(id: id, day: day, description: try rows.text(at: 2))
            found.append((damaged, try ShotStamp(rows, at: 3)))
        }
        return found
    }
}

/// What a reader knows about the state of an index.
enum IndexState: Sendable {
    /// The index's own mark says whether it was complete when it was closed.
    case asMarked
    /// Any shot may be missing or outdated.
    case behind
    /// Only these shots, given with their days, are missing or outdated.
    case current(pending: [ShotID: String])
}

/// Finds shots of a library, whether a coordinator uses it or not. Uses the index if there is one, and otherwise the manifests. Only reads.
/// Every call blocks on the disk of the index.
public struct CatalogueReader: Sendable {
    private let library: any ShotReading
    private let file: IndexFile

    /// - Parameter folder: The folder that contains the folder of the index, such as the library's.
    public init(_ library: any ShotReading, folder: String) {
        self.library = library
        file = IndexFile(library: folder)
    }

    /// Returns the same as ``Catalogue/shots(_:)``.
    /// - Throws: `inputOutput` if the library itself cannot be read.
    public func shots(_ page: ShotPage) async throws(StorageError) -> CatalogueListing {
        try await shots(page, .asMarked)
    }

    func shots(_ page: ShotPage, _ state: IndexState) async throws(StorageError) -> CatalogueListing {
        do {
            return try await IndexAnswer(library: library, index: try file.openForReading()).shots(page, state)
        } catch let error as StorageError {
            throw error
        } catch {
            let reason = "the index \(IndexFault.reason(of: error))"
            return try await ManifestScan(library: library).shots(page, reason: reason)
        }
    }
}
