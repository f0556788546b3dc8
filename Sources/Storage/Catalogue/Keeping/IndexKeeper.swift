internal import CaptureModel
internal import GRDB
internal import PosixSupport
internal import StorageKit

/// The one writer of an index: its open file, and what brings it up to date.
///
/// Not `Sendable`: belongs to the thread it is used on, and blocks it on the disk.
final class IndexKeeper {
    private let library: any ShotReading
    private let file: IndexFile
    private let database: IndexDatabase
    private let version: FileVersion?
    private let lock: FolderLock
    /// Days that are not believed.
    private var touched: Set<String> = []
    /// Why the index was made anew; nil where it was there.
    let remade: String?

    /// Opens the index, or makes it anew, and marks it durably as not closed, before anything can change that it does
    /// not hold.
    init(_ library: any ShotReading, _ file: IndexFile) throws {
        self.library = library
        self.file = file
        lock = try file.lock()
        let (queue, remade) = try file.openForWriting()
        (database, self.remade) = (IndexDatabase(queue: queue), remade)
        version = file.version()
        try queue.markOpen()
        // From here on a power cut may take the last changes; the mark says so.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    }

    /// Whether the file is still the one that was opened, and not deleted or replaced by somebody.
    var isInPlace: Bool { version != nil && file.version()?.inode == version?.inode }

    /// Writes what the manifests of these shots say. Days they lie in are not believed until they are compared again.
    /// - Returns: Whether all of them could be read, or are damaged, which reading again does not change.
    @discardableResult
    func update(_ shots: [ShotID: String]) async throws -> Bool {
        var records: [ShotRecord] = []
        var gone: [ShotID] = []
        for (id, day) in shots.sorted(by: { $0.key < $1.key }) {
            if let record = try await library.record(of: id, day: day) {
                records.append(record)
            } else {
                gone.append(id)
            }
        }
        try database.write { index in
            for record in records { try index.put(record) }
            for id in gone { try index.remove(id) }
            for day in Set(shots.values) { try index.setDay(day, version: "") }
        }
        touched.formUnion(shots.values)
        return !records.contains(where: \.stamp.isUnread)
    }

    /// Shots read and written in one transaction while the library is compared.
    static let batch = 200

    /// Compares every shot of the library with the index and brings it up to date.
    /// - Parameter pause: Called after each batch with the time it took; may wait, and end the work by throwing.
    /// - Returns: How many shots had changed.
    func compare(_ clock: any TimeSource, pause: (Duration) async throws -> Void) async throws -> Int {
        var count = 0
        for day in try await daysToCompare() {
            count += try await compare(day, clock, pause)
            try Task.checkCancellation()
        }
        return count
    }

    /// Compares the days that are not believed since shots of them were written, but for the newest, to which more shots
    /// come; else every answer would look at all that was taken since the coordinator has begun.
    func settleEarlierDays(_ clock: any TimeSource, pause: (Duration) async throws -> Void) async throws {
        guard touched.count > 1, let newest = touched.max() else { return }
        for day in try await library.days() where day.name != newest && touched.contains(day.name) {
            _ = try await compare(day, clock, pause)
        }
    }

    private func compare(
        _ day: ShotDay, _ clock: any TimeSource, _ pause: (Duration) async throws -> Void
    ) async throws -> Int {
        let changes = try await changes(of: day)
        var rest = changes.present.keys.sorted()[...]
        var isKnown = true
        while !rest.isEmpty {
            let began = clock.now()
            let part = rest.prefix(Self.batch)
            let isRead = try await update(Dictionary(uniqueKeysWithValues: part.map { ($0, day.name) }))
            isKnown = isKnown && isRead
            rest = rest.dropFirst(part.count)
            try await pause(clock.now() - began)
        }
        try finish(day, gone: changes.gone, version: day.isSettled && isKnown ? day.version : "")
        return changes.count
    }

    /// Days to be compared with the library, newest first; those that only the index has are removed from it.
    private func daysToCompare() async throws -> [ShotDay] {
        let days = try await library.days()
        let present = Set(days.map(\.name))
        try database.write { index in
            for day in try IndexReading(db: index.db).indexedDays().subtracting(present) {
                try index.removeDay(day)
            }
        }
        return days
    }

    /// The changes of one day; its version was taken before.
    private func changes(of day: ShotDay) async throws -> LibraryChanges {
        let indexed = try database.read { try $0.stamps(of: day.name) }
        var changes = LibraryChanges()
        changes.compare(day: day.name, found: try await library.list(day.name), indexed: indexed)
        return changes
    }

    /// Removes what has gone and notes the day as compared.
    /// - Parameter version: Empty where the day may change again without its version showing it.
    private func finish(_ day: ShotDay, gone: Set<ShotID>, version: String) throws {
        try database.write { index in
            for id in gone { try index.remove(id) }
            try index.setDay(day.name, version: version)
        }
        if version.isEmpty { touched.insert(day.name) } else { touched.remove(day.name) }
    }

    /// Reads the manifest of every shot, and puts right what the index says otherwise. To be called after ``compare(_:pause:)``,
    /// so that no file has changed since it was written.
    /// - Returns: How many shots that were.
    func check() async throws -> Int {
        var count = 0
        for day in try await library.days().map(\.name) {
            var rest = try await library.list(day).map(\.id)[...]
            while !rest.isEmpty {
                var records: [ShotRecord] = []
                for id in rest.prefix(Self.batch) {
                    if let record = try await library.record(of: id, day: day) { records.append(record) }
                }
                count += try database.write { index in try records.count { try index.correct($0) } }
                rest = rest.dropFirst(Self.batch)
                try Task.checkCancellation()
            }
        }
        return count
    }

    func shotCount() throws -> Int {
        try database.read { try $0.shotCount() }
    }

    func damagedCount() throws -> Int {
        try database.read { try $0.damagedCount() }
    }

    /// Closes the index as one file that whoever may read it can read.
    /// - Parameter isComplete: Whether it holds everything that was noted.
    func close(isComplete: Bool) throws {
        if isComplete { try database.write { try $0.setClean(true) } }
        try database.queue.writeWithoutTransaction { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
        try database.queue.close()
    }
}
