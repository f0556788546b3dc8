internal import CaptureModel
internal import GRDB
internal import PosixSupport

/// The file of an index, in a separate folder inside the library, so that the folder can be deleted.
struct IndexFile: Sendable {
    static let folderName = ".index"
    static let name = "index.sqlite"

    /// The size of the writer's cache. The kernel caches the file too, so a larger cache would save little and grow with the index for
    /// hours.
    private static let cacheKibibytes = 512

    /// The library's folder.
    let library: String

    var folder: String { "\(library)/\(Self.folderName)" }
    var path: String { "\(folder)/\(Self.name)" }

    /// Opens the index for reading, while another process may write it.
    /// - Throws: If there is none, or this version cannot read it.
    func openForReading() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA trusted_schema = OFF") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        guard try queue.read(IndexSchema.migrator.hasExactlyOurs) else { throw IndexFault.otherSchema }
        return queue
    }

    /// Opens the index for writing and checks its structure. Creates it again if it is damaged, of another version or missing. Its content
    /// may be behind the library.
    /// - Returns: The database, and why it was created again; nil if it was not.
    func openForWriting() throws -> (DatabaseQueue, remade: String?) {
        do {
            return (try open(), nil)
        } catch {
            guard IndexFault.isCuredByRemaking(error) else { throw error }
            try remove()
            return (try open(creating: true), IndexFault.reason(of: error))
        }
    }

    /// Durably marks the index, if there is one, as not closed, without checking its content.
    /// - Throws: If this fails. The index is then removed, so that nobody trusts it.
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

    /// Takes the right to write the index. A coordinator holds it; a program that rebuilds the index holds it for moments.
    /// - Throws: `FolderInUse`.
    func lock() throws -> FolderLock {
        // A library that was moved away is not made again at its old path.
        try FolderLock(try Folder(opening: library).makeFolder(Self.folderName))
    }

    /// Removes the index. Its content is in the manifests.
    func remove() throws {
        let folder = try Folder(opening: folder)
        for suffix in ["", "-wal", "-shm", "-journal"] { try folder.remove(Self.name + suffix) }
    }

    /// Returns the version of the file, which shows whether somebody has deleted or replaced it.
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

/// An open index, for one reader or writer. Every call blocks on the disk.
struct IndexDatabase {
    let queue: DatabaseQueue

    /// Reads one consistent state of the index.
    func read<Result>(_ body: (IndexRows) throws -> Result) throws -> Result {
        try queue.read { try body(IndexRows(db: $0)) }
    }

    /// Writes in one transaction.
    func write<Result>(_ body: (IndexUpdates) throws -> Result) throws -> Result {
        try queue.write { try body(IndexUpdates(db: $0)) }
    }
}

extension DatabaseQueue {
    /// Durably marks the index as not closed. After that every transaction is durable.
    func markOpen() throws {
        try writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.inTransaction {
                try IndexUpdates(db: db).setClean(false)
                return .commit
            }
        }
    }
}

extension DatabaseMigrator {
    /// Returns whether the database has exactly the migrations of this version.
    func hasExactlyOurs(_ db: Database) throws -> Bool {
        try hasCompletedMigrations(db) && !hasBeenSuperseded(db)
    }
}

/// Why an index cannot be used.
enum IndexFault: Error {
    case absent
    case otherSchema
    case damaged(String)
    /// So many shots have changed after it was written that reading their manifests costs more than the index saves.
    case farBehind

    /// Returns whether deleting the index and creating it again helps. It does not help with a full disk, for example.
    static func isCuredByRemaking(_ error: any Error) -> Bool {
        switch error {
        case is IndexFault: return true
        case let error as DatabaseError:
            return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_SCHEMA, .SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(
                error.resultCode.primaryResultCode)
        default: return false
        }
    }

    /// Returns the reason as the end of a sentence that begins with "the index".
    static func reason(of error: any Error) -> String {
        switch error {
        case IndexFault.absent: "is not there"
        case IndexFault.otherSchema: "belongs to another version of this program"
        case IndexFault.damaged(let what): "is damaged (\(what.prefix(200)))"
        case IndexFault.farBehind: "is far behind the library"
        case let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_CANTOPEN:
            "does not exist, or may not be read"
        case let error as DatabaseError: "cannot be used (\(error.message ?? "SQLite \(error.resultCode)"))"
        default: "cannot be used (\(error))"
        }
    }
}

/// The tables of an index. docs/library.md describes them for other programs.
///
/// `entry` has a row for each shot, and can have rows for other things that the library stores under an id. `kind` distinguishes them.
enum IndexSchema {
    /// "CRIX": SQLite's `application_id`, which identifies the file as an index of this program.
    static let applicationID = 0x4352_4958

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: makeFirst)
        migrator.registerMigration("2", migrate: addRejections)
        return migrator
    }

    private static func makeFirst(_ db: Database) throws {
        try db.execute(
            sql: """
                PRAGMA application_id = \(applicationID);
                CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
                CREATE TABLE day (path TEXT PRIMARY KEY NOT NULL, version TEXT NOT NULL) WITHOUT ROWID;
                CREATE TABLE entry (
                    id INTEGER PRIMARY KEY,
                    kind TEXT NOT NULL DEFAULT 'shot',
                    uuid TEXT NOT NULL UNIQUE,
                    day TEXT NOT NULL,
                    realtimeNanoseconds INTEGER,
                    status TEXT,
                    revision INTEGER,
                    expected INTEGER,
                    done INTEGER,
                    title TEXT NOT NULL DEFAULT '',
                    note TEXT NOT NULL DEFAULT '',
                    titleSearch TEXT NOT NULL DEFAULT '',
                    textSearch TEXT NOT NULL DEFAULT '',
                    problem TEXT,
                    manifestStamp TEXT NOT NULL,
                    annotationStamp TEXT NOT NULL
                );
                CREATE INDEX entryByDay ON entry (kind, day, uuid, realtimeNanoseconds, status);
                CREATE INDEX entryByText ON entry (kind, day, uuid) WHERE textSearch <> '';
                CREATE TABLE camera (
                    id INTEGER PRIMARY KEY, device TEXT NOT NULL, labels TEXT NOT NULL, UNIQUE (device, labels)
                );
                CREATE TABLE file (
                    entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
                    camera INTEGER NOT NULL REFERENCES camera (id),
                    kind TEXT NOT NULL,
                    outcome TEXT NOT NULL,
                    byteCount INTEGER,
                    PRIMARY KEY (entry, camera, kind)
                ) WITHOUT ROWID;
                CREATE INDEX fileByOutcome ON file (outcome, entry) WHERE outcome <> 'done';
                """)
    }

    private static func addRejections(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE file ADD COLUMN isRejected INTEGER NOT NULL DEFAULT 0;
                CREATE INDEX fileByRejection ON file (entry) WHERE isRejected = 1;
                """)
    }
}
