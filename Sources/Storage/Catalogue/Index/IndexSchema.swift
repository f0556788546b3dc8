internal import GRDB

/// The tables of an index; docs/library.md describes them for other programs.
///
/// `entry` has a row for each shot, and can have one for whatever else the library will keep under an id of its own:
/// `kind` tells them apart.
enum IndexSchema {
    /// "CRIX": SQLite's `application_id`, by which the file is known for an index of ours.
    static let applicationID = 0x4352_4958

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", migrate: makeFirst)
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
}
