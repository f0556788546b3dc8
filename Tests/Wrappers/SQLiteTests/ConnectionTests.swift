import CaptureTestSupport
import SQLite
import Testing

@Suite struct ConnectionTests {
    private let folder: TemporaryFolder
    private let db: SQLiteConnection

    init() throws {
        folder = try TemporaryFolder()
        db = try SQLiteConnection(path: folder.path + "/a.sqlite", .readWrite, busyTimeout: .zero)
        try db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
    }

    private func open(_ access: SQLiteConnection.Access = .readWrite) throws -> SQLiteConnection {
        try SQLiteConnection(path: db.path, access, busyTimeout: .zero)
    }

    private func add(_ name: String) throws {
        try db.run("INSERT INTO item (name) VALUES (?)", [.text(name)])
    }

    private func names(_ db: SQLiteConnection) throws -> [String] {
        let rows = try db.prepare("SELECT name FROM item ORDER BY id")
        var names: [String] = []
        while try rows.step() { names.append(try rows.text(at: 0)) }
        return names
    }

    @Test func `An error names the statement that is wrong, the file and the code`() throws {
        let error = try #require(throws: SQLiteError.self) {
            try db.execute("INSERT INTO item (name) VALUES ('a');\n  SELEC 1")
        }
        #expect(error.code == .error)
        #expect(error.statement == "SELEC 1")
        #expect(error.file == db.path)
        #expect(error.message.contains("syntax error"))
        #expect("\(error)" == "cannot prepare \"SELEC 1\" in \(db.path): \(error.message) (code 1)")
        #expect(try names(db) == ["a"])
    }

    @Test func `An error has the extended code, and no value that was bound`() throws {
        try add("secret")
        let error = try #require(throws: SQLiteError.self) { try add("secret") }
        #expect(error.code.rawValue == 2067)
        #expect(error.code.primary == .constraint)
        #expect(error.message == "UNIQUE constraint failed: item.name")
        #expect(error.statement == "INSERT INTO item (name) VALUES (?)")
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `A file that does not exist is created by a writer only`() throws {
        let path = folder.path + "/b.sqlite"
        let error = try #require(throws: SQLiteError.self) {
            try SQLiteConnection(path: path, .readOnly, busyTimeout: .zero)
        }
        #expect(error.code.primary == .cannotOpen)
        #expect("\(error)".contains(path))
        #expect(try folder.names() == ["a.sqlite"])
        try SQLiteConnection(path: path, .readWrite, busyTimeout: .zero).execute("CREATE TABLE a (b)")
        #expect(try folder.names() == ["a.sqlite", "b.sqlite"])
    }

    @Test func `A file that is not a database is reported as that`() throws {
        let path = try folder.write([UInt8](repeating: 7, count: 5000), as: "c.sqlite")
        let db = try SQLiteConnection(path: path, .readOnly, busyTimeout: .zero)
        let error = #expect(throws: SQLiteError.self) { try db.prepare("SELECT * FROM sqlite_schema").run() }
        #expect(error?.code == .notADatabase)
    }

    @Test func `A reader cannot write`() throws {
        let reader = try open(.readOnly)
        let error = #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM item") }
        #expect(error?.code.primary == .readOnly)
    }

    @Test func `A transaction that throws leaves everything as before`() throws {
        struct Stop: Error {}
        try add("kept")
        #expect(throws: Stop.self) {
            try db.write {
                try add("undone")
                #expect(db.isInTransaction)
                throw Stop()
            }
        }
        #expect(!db.isInTransaction)
        #expect(try names(db) == ["kept"])
        try db.write { try add("next") }
        #expect(try names(open()) == ["kept", "next"])
    }

    @Test func `A transaction that cannot be committed leaves everything as before`() throws {
        try db.execute("CREATE TABLE part (item INTEGER REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)")
        let error = #expect(throws: SQLiteError.self) {
            try db.write {
                try add("undone")
                try db.execute("INSERT INTO part VALUES (99)")
            }
        }
        #expect(error?.code.primary == .constraint)
        #expect(error?.statement == "COMMIT")
        #expect(!db.isInTransaction)
        #expect(try names(db) == [])
    }

    @Test func `A transaction inside another is refused, and both are undone`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try db.write {
                try add("undone")
                try db.read {}
            }
        }
        #expect(error?.code == .error)
        #expect(try names(db) == [])
    }

    @Test func `A database that another connection writes is busy, and usable after that`() throws {
        let other = try open()
        try db.write {
            try add("a")
            let error = #expect(throws: SQLiteError.self) { try other.write {} }
            #expect(error?.code.primary == .busy)
            #expect(error?.statement == "BEGIN IMMEDIATE")
            #expect(!other.isInTransaction)
        }
        try other.write { try other.execute("INSERT INTO item (name) VALUES ('b')") }
        #expect(try names(db) == ["a", "b"])
    }

    @Test func `A reader sees one state, whatever is written at the same time`() throws {
        try db.execute("PRAGMA journal_mode = WAL")
        try add("a")
        let reader = try open(.readOnly)
        try reader.read {
            #expect(try names(reader) == ["a"])
            try add("b")
            #expect(try names(reader) == ["a"])
        }
        #expect(try names(reader) == ["a", "b"])
    }

    @Test(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired))
    func `A full disk is reported as that, and the transaction is undone`() throws {
        let disk = try SmallDisk()
        let db = try SQLiteConnection(path: disk.path + "/a.sqlite", .readWrite, busyTimeout: .zero)
        try db.execute("CREATE TABLE item (bytes BLOB); INSERT INTO item VALUES (x'01')")
        try disk.fill(leaving: 16 << 10)
        let error = #expect(throws: SQLiteError.self) {
            try db.write {
                try db.prepare("INSERT INTO item VALUES (?)", [.blob([UInt8](repeating: 1, count: 200 << 10))]).run()
            }
        }
        #expect(error?.code.primary == .full)
        #expect(!db.isInTransaction)
        let count = try db.prepare("SELECT count(*) FROM item")
        #expect(try count.step())
        #expect(try count.integer(at: 0) == 1)
    }

    @Test func `A connection closes only without statements, and refuses everything after that`() throws {
        do {
            let statement = try db.prepare("SELECT 1")
            defer { withExtendedLifetime(statement) {} }
            let error = #expect(throws: SQLiteError.self) { try db.close() }
            #expect(error?.code.primary == .busy)
        }
        try add("a")
        try db.close()
        try db.close()
        let error = #expect(throws: SQLiteError.self) { try add("b") }
        #expect(error?.code == .misuse)
        #expect(error?.message == "the connection is closed")
        #expect(throws: SQLiteError.self) { try db.read {} }
        #expect(db.lastInsertedRowID == 0 && !db.isInTransaction)
    }

    @Test func `A statement keeps its connection open`() throws {
        func statement() throws -> SQLiteStatement {
            try open().prepare("SELECT count(*) FROM item")
        }
        let rows = try statement()
        try add("a")
        #expect(try rows.step())
        #expect(try rows.integer(at: 0) == 1)
    }
}
