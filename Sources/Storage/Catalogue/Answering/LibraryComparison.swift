internal import CaptureModel
internal import StorageKit

/// Compares an index with its library, as thoroughly as the index's state asks for.
///
/// | index | a day whose folder is as it was | any other day |
/// |---|---|---|
/// | closed in order, or kept up by a coordinator of this process | believed | each shot's stamps are compared |
/// | not closed: its writer runs elsewhere, or was cut off | each shot's stamps are compared | each shot's stamps are compared |
struct LibraryComparison {
    let library: any ShotReading
    let index: IndexDatabase
    /// Whether days that are as they were are believed.
    let believesDays: Bool

    /// - Parameters:
    ///   - query: Only days that it takes are looked at.
    ///   - limit: More changes than these are not looked for.
    /// - Throws: ``IndexFault/farBehind``; `StorageError` where the library cannot be read.
    func changes(for query: ShotQuery, limit: Int) async throws -> LibraryChanges {
        let (known, indexed) = try index.read { (try $0.days(), try $0.indexedDays()) }
        var rest = indexed
        var changes = LibraryChanges()
        for day in try await library.days() {
            rest.remove(day.name)
            guard query.takesDay(day.name) else { continue }
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
    /// Whether shots of this day may be meant.
    func takesDay(_ path: String) -> Bool {
        (since.map { path >= ShotDay.name(atRealtimeNanoseconds: $0) } ?? true)
            && (until.map { path <= ShotDay.name(atRealtimeNanoseconds: $0) } ?? true)
    }
}
