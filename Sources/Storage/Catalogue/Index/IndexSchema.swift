internal import SQLite

/// The tables of an index, and their version in SQLite's `user_version`. docs/library.md describes them for other programs.
///
/// `entry` has a row for each shot, and can have rows for other things that the library stores under an id. `kind` distinguishes them.
enum IndexSchema {
    /// "CRIX": SQLite's `application_id`, which identifies the file as an index of this program.
    static let applicationID: Int64 = 0x4352_4958

    /// The version of the tables that this program reads and writes. Increase it by adding a step.
    static var version: Int64 { Int64(steps.count) }

    /// What leads from each version to the next.
    private static let steps = [
        """
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
        """,
        """
        ALTER TABLE file ADD COLUMN isRejected INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX fileByRejection ON file (entry) WHERE isRejected = 1;
        """,
    ]

    /// Creates the tables in an empty database.
    static func create(in db: SQLiteConnection) throws {
        try db.write {
            for step in steps { try db.execute(step) }
            try setVersion(of: db)
        }
    }

    /// Returns the version of the tables; nil if the database is not an index, or its version is not a number.
    static func version(of db: SQLiteConnection) throws -> Int64? {
        guard try number("application_id", db) == applicationID else { return nil }
        let version = try number("user_version", db)
        return try version == 0 ? versionByName(of: db) : version
    }

    /// Records the version of this program in an index of that version that names it in `grdb_migrations` only. That table stays, so
    /// programs that read it still know the index.
    static func markVersion(of db: SQLiteConnection) throws {
        if try number("user_version", db) != version { try setVersion(of: db) }
    }

    /// Returns the greatest number in `grdb_migrations`, a table of indexes without `user_version`.
    private static func versionByName(of db: SQLiteConnection) throws -> Int64? {
        let table = try db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'grdb_migrations'")
        guard try table.step() else { return nil }
        let names = try db.prepare("SELECT identifier FROM grdb_migrations")
        var greatest: Int64?
        while try names.step() {
            guard let number = Int64(try names.text(at: 0)) else { return nil }
            greatest = max(number, greatest ?? number)
        }
        return greatest
    }

    private static func setVersion(of db: SQLiteConnection) throws {
        try db.execute("PRAGMA user_version = \(version)")
    }

    private static func number(_ pragma: String, _ db: SQLiteConnection) throws -> Int64 {
        let statement = try db.prepare("PRAGMA \(pragma)")
        return try statement.step() ? try statement.integer(at: 0) : 0
    }
}
