public import CaptureModel

/// Reads manifests and annotations, and lists them.
public protocol ShotReading: ShotLookup {
    /// Returns where users find a shot, relative to ``ShotLookup/location``.
    nonisolated func location(of shot: Shot) -> String

    /// Returns the days that have shots, newest first, one page at a time.
    /// - Parameters:
    ///   - before: The last day of the previous page; nil for the first page.
    ///   - limit: The most days to return. Fewer mean that there are no more.
    func days(before: String?, limit: Int) async throws(StorageError) -> [ShotDay]

    /// Returns the shots of a day in order of id, with the revisions of their documents, one page at a time. Reads no document. Empty for a
    /// day without shots.
    func list(_ day: String, after: ShotID?, limit: Int) async throws(StorageError) -> [ShotEntry]

    /// Returns the day of a shot; nil if the store has nothing of it. A shot whose manifest cannot be read has a day.
    func day(of id: ShotID) async throws(StorageError) -> String?

    /// Returns the revisions of one shot's documents; nil if the day has no such shot.
    func stamp(of id: ShotID, day: String) async throws(StorageError) -> ShotStamp?

    /// Returns all documents of a shot; nil if the day has no such shot.
    ///
    /// The stamp is read before the documents. If a document is replaced in between, the stamp is that of its predecessor.
    func record(of id: ShotID, day: String) async throws(StorageError) -> ShotRecord?

    /// Returns the record of a shot that was deleted; nil if the store has the shot, or never had it, or no longer has the record.
    /// - Throws: `corrupted`, `inputOutput`.
    func deletion(of id: ShotID) async throws(StorageError) -> ShotDeletion?
}
