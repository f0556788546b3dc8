internal import CaptureModel
internal import Library

/// Compares an index with its library, as thoroughly as the index's state asks for.
///
/// | index | a day whose folder is as it was | any other day |
/// |---|---|---|
/// | closed in order, or kept up by a coordinator of this process | believed | each shot's stamps are compared |
/// | not closed: its writer runs elsewhere, or was cut off | each shot's stamps are compared | each shot's stamps are compared |
struct LibraryComparison {
    let library: LibraryReader
    let index: IndexReading
    /// Whether days that are as they were are believed.
    let believesDays: Bool

    /// - Parameters:
    ///   - query: Only days that it takes are looked at.
    ///   - limit: More changes than these are not looked for.
    /// - Throws: ``IndexFault/farBehind``; `CaptureProblem` where the library cannot be read.
    func changes(for query: ShotQuery, limit: Int) throws -> LibraryChanges {
        let known = try index.days()
        var rest = try index.indexedDays()
        var changes = LibraryChanges()
        for day in try library.libraryDays() {
            rest.remove(day.path)
            guard query.takesDay(day.path) else { continue }
            if believesDays, let version = known[day.path], version == day.version, !version.isEmpty { continue }
            changes.compare(
                day: day.path, found: try library.stamps(of: day.path), indexed: try index.stamps(of: day.path))
            if changes.count > limit { throw IndexFault.farBehind }
        }
        for day in rest { changes.gone.formUnion(try index.stamps(of: day).keys) }
        return changes
    }
}

extension ShotQuery {
    /// Whether shots of this day may be meant.
    func takesDay(_ path: String) -> Bool {
        (since.map { path >= LibraryDay.path(atRealtimeNanoseconds: $0) } ?? true)
            && (until.map { path <= LibraryDay.path(atRealtimeNanoseconds: $0) } ?? true)
    }
}
