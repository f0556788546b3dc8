internal import CaptureModel
internal import PosixSupport
internal import SQLite

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
    func openForReading() throws -> IndexDatabase {
        let db = try SQLiteConnection(path: path, .readOnly, busyTimeout: .seconds(2))
        try db.execute("PRAGMA trusted_schema = OFF")
        guard try db.read({ try IndexSchema.version(of: db) }) == IndexSchema.version else {
            throw IndexFault.otherSchema
        }
        return IndexDatabase(db: db)
    }

    /// Opens the index for writing and checks its structure. Creates it again if it is damaged, of another version or missing. Its content
    /// may be behind the library.
    func openForWriting() throws -> (IndexDatabase, IndexOrigin) {
        do {
            return (try open(), .existing)
        } catch {
            guard IndexFault.isCuredByRemaking(error) else { throw error }
            try remove()
            let database = try open(creating: true)
            if case IndexFault.absent = error { return (database, .made) }
            return (database, .remade(IndexFault.reason(of: error)))
        }
    }

    /// Durably marks the index, if there is one, as not closed, without checking its content.
    /// - Throws: If this fails. The index is then removed, so that nobody trusts it.
    func markOpen() throws {
        guard version() != nil else { return }
        do {
            let database = try connect()
            try database.markOpen()
            try database.close()
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

    private func open(creating: Bool = false) throws -> IndexDatabase {
        if !creating, version() == nil { throw IndexFault.absent }
        let database = try connect()
        if creating {
            try IndexSchema.create(in: database.db)
        } else {
            try database.check()
            try IndexSchema.markVersion(of: database.db)
        }
        return database
    }

    private func connect() throws -> IndexDatabase {
        let db = try SQLiteConnection(path: path, .readWrite, busyTimeout: .seconds(5))
        try db.execute("PRAGMA cache_size = -\(Self.cacheKibibytes); PRAGMA synchronous = NORMAL")
        let mode = try db.prepare("PRAGMA journal_mode = WAL")
        guard try mode.step(), try mode.text(at: 0) == "wal" else { throw IndexFault.noWriteAheadLog }
        return IndexDatabase(db: db)
    }
}

/// An open index, for one reader or writer. Every call blocks on the disk.
///
/// Not `Sendable`, like its connection: belongs to the one task or thread that opened it.
struct IndexDatabase {
    let db: SQLiteConnection

    /// Reads one consistent state of the index.
    func read<Result>(_ body: (IndexRows) throws -> Result) throws -> Result {
        try db.read { try body(IndexRows(db: db)) }
    }

    /// Writes in one transaction.
    func write<Result>(_ body: (IndexUpdates) throws -> Result) throws -> Result {
        try db.write { try body(IndexUpdates(db: db)) }
    }

    /// Checks the version of the tables and the structure of the file.
    /// - Throws: ``IndexFault``.
    func check() throws {
        try db.read {
            guard try IndexSchema.version(of: db) == IndexSchema.version else { throw IndexFault.otherSchema }
            let check = try db.prepare("PRAGMA quick_check(1)")
            let found = try check.step() ? try check.text(at: 0) : ""
            guard found == "ok" else { throw IndexFault.damaged(found) }
        }
    }

    /// Durably marks the index as not closed. After that every transaction is durable.
    func markOpen() throws {
        try db.execute("PRAGMA synchronous = FULL")
        try write { try $0.setClean(false) }
    }

    /// Lets a power cut undo the last transactions, but none before ``markOpen()``.
    func reduceDurability() throws {
        try db.execute("PRAGMA synchronous = NORMAL")
    }

    /// Puts everything into the file itself, which anyone with read access can then read without the log beside it.
    func useSingleFile() throws {
        try db.execute("PRAGMA journal_mode = DELETE")
    }

    func close() throws {
        try db.close()
    }
}
