internal import CaptureModel
internal import GRDB
internal import PosixSupport

/// The file of an index, in a folder of its own inside the library, so that it can be deleted as a whole.
struct IndexFile: Sendable {
    static let folderName = ".index"
    static let name = "index.sqlite"

    /// What the writer keeps of the index in memory. The kernel keeps the file too, so more would save little and grow with
    /// the index for hours.
    private static let cacheKibibytes = 512

    /// The library's folder.
    let library: String

    var folder: String { "\(library)/\(Self.folderName)" }
    var path: String { "\(folder)/\(Self.name)" }

    /// Opens the index for reading, beside whoever writes it.
    /// - Throws: Where there is none, or none that this version understands.
    func openForReading() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA trusted_schema = OFF") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        guard try queue.read(IndexSchema.migrator.hasExactlyOurs) else { throw IndexFault.otherSchema }
        return queue
    }

    /// Opens the index for writing, checks its structure, and makes it anew where it is damaged, of another version, or
    /// not there. What it holds may be behind the library.
    /// - Returns: The database, and why it was made anew; nil where it was not.
    func openForWriting() throws -> (DatabaseQueue, remade: String?) {
        do {
            return (try open(), nil)
        } catch {
            guard IndexFault.isCuredByRemaking(error) else { throw error }
            try remove()
            return (try open(creating: true), IndexFault.reason(of: error))
        }
    }

    /// Marks the index durably as not closed, without a look at the rest of it, where there is one.
    /// - Throws: Where that fails; the index is removed then, so that nobody believes it.
    func markOpen() throws {
        guard version() != nil else { return }
        do {
            let queue = try connect()
            try queue.markOpen()
            try queue.close()
        } catch {
            try remove()
            throw error
        }
    }

    /// The right to write it: a coordinator's, or for moments that of who makes it by hand.
    /// - Throws: `FolderInUse`.
    func lock() throws -> FolderLock {
        try FolderLock(try Folder.make(library).makeFolder(Self.folderName))
    }

    /// Removes the index; what it held is in the manifests.
    func remove() throws {
        let folder = try Folder(opening: folder)
        for suffix in ["", "-wal", "-shm", "-journal"] { try folder.remove(Self.name + suffix) }
    }

    /// Which file lies there, to notice that somebody has deleted or replaced it.
    func version() -> FileVersion? {
        try? Folder(opening: folder).version(of: Self.name)
    }

    private func open(creating: Bool = false) throws -> DatabaseQueue {
        if !creating, version() == nil { throw IndexFault.absent }
        let queue = try connect()
        if creating {
            try IndexSchema.migrator.migrate(queue)
            return queue
        }
        try queue.read { db in
            guard try IndexSchema.migrator.hasExactlyOurs(db) else { throw IndexFault.otherSchema }
            let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? ""
            guard found == "ok" else { throw IndexFault.damaged(found) }
        }
        return queue
    }

    private func connect() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.journalMode = .wal
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = -\(Self.cacheKibibytes)") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}

/// An index that is open, for one reader or writer. Every call blocks on the disk.
struct IndexDatabase {
    let queue: DatabaseQueue

    /// Reads one state of the index.
    func read<Result>(_ body: (IndexReading) throws -> Result) throws -> Result {
        try queue.read { try body(IndexReading(db: $0)) }
    }

    /// Writes in one transaction.
    func write<Result>(_ body: (IndexWriting) throws -> Result) throws -> Result {
        try queue.write { try body(IndexWriting(db: $0)) }
    }
}

extension DatabaseQueue {
    /// Says durably that the index was not closed; from then on every transaction is durable.
    func markOpen() throws {
        try writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.inTransaction {
                try IndexWriting(db: db).setClean(false)
                return .commit
            }
        }
    }
}

extension DatabaseMigrator {
    /// Whether the database has the migrations of this version, no fewer and no more.
    func hasExactlyOurs(_ db: Database) throws -> Bool {
        try hasCompletedMigrations(db) && !hasBeenSuperseded(db)
    }
}
