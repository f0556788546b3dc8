internal import CaptureModel
internal import PosixSupport
internal import StorageKit

/// The only writer of an index. Holds its open file and updates it.
///
/// Not `Sendable`: belongs to the thread that uses it, and blocks it on the disk.
final class IndexWriter {
    private let library: any ShotReading
    private let file: IndexFile
    private let database: IndexDatabase
    private let version: FileVersion?
    private let lock: FolderLock
    /// Days for which the index is not trusted.
    private var touched: Set<String> = []
    let origin: IndexOrigin

    /// Opens or creates the index, and durably marks it as not closed, before anything can change that it does not contain.
    init(_ library: any ShotReading, _ file: IndexFile) throws {
        self.library = library
        self.file = file
        lock = try file.lock()
        (database, origin) = try file.openForWriting()
        version = file.version()
        try database.markOpen()
        // From here on a power cut may undo the last changes, which the mark allows.
        try database.reduceDurability()
    }

    /// Whether the file is still the one that was opened, not deleted or replaced.
    var isInPlace: Bool { version != nil && file.version()?.inode == version?.inode }

    /// Indexes the manifests of these shots. Their days are not trusted until they are compared again.
    /// - Returns: Whether all manifests could be read or are damaged. Reading a damaged one again does not change it.
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

    /// The most shots read and written in one transaction while the library is compared.
    static let batch = 200

    /// Compares every shot of the library with the index and updates the index.
    /// - Parameter pause: Called after each batch with the time that it took. May wait, and may end the work by throwing.
    /// - Returns: The number of changed shots.
    func compare(_ clock: any TimeSource, pause: (Duration) async throws -> Void) async throws -> Int {
        var count = 0
        for day in try await daysToCompare() {
            count += try await compare(day, clock, pause)
            try Task.checkCancellation()
        }
        return count
    }

    /// Compares the days that are not trusted because shots of them were written, except the newest, which receives more shots. Otherwise
    /// every answer would compare all shots taken during the coordinator's run.
    func compareEarlierDays(_ clock: any TimeSource, pause: (Duration) async throws -> Void) async throws {
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

    /// Returns the days to compare with the library, newest first. Removes days from the index that the library does not have.
    private func daysToCompare() async throws -> [ShotDay] {
        let days = try await library.days()
        let present = Set(days.map(\.name))
        try database.write { index in
            for day in try IndexRows(db: index.db).indexedDays().subtracting(present) {
                try index.removeDay(day)
            }
        }
        return days
    }

    /// Returns the changes of one day. Its version was read before.
    private func changes(of day: ShotDay) async throws -> LibraryChanges {
        let indexed = try database.read { try $0.stamps(of: day.name) }
        var changes = LibraryChanges()
        changes.compare(day: day.name, found: try await library.list(day.name), indexed: indexed)
        return changes
    }

    /// Removes shots that no longer exist and records the day as compared.
    /// - Parameter version: Empty if the day may change again without changing its version.
    private func finish(_ day: ShotDay, gone: Set<ShotID>, version: String) throws {
        try database.write { index in
            for id in gone { try index.remove(id) }
            try index.setDay(day.name, version: version)
        }
        if version.isEmpty { touched.insert(day.name) } else { touched.remove(day.name) }
    }

    /// Reads the manifest of every shot, and corrects the index. Call it after ``compare(_:pause:)``, so that no file is newer than its
    /// entry.
    /// - Returns: The number of corrected shots.
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

    /// Closes the index as a single file that everyone with read access can read.
    /// - Parameter isComplete: Whether it contains everything that was noted.
    func close(isComplete: Bool) throws {
        if isComplete { try database.write { try $0.setClean(true) } }
        try database.useSingleFile()
        try database.close()
    }
}
