import CaptureTestSupport
import SQLite
import Testing

@Suite struct StatementTests {
    private let folder: TemporaryFolder
    private let db: SQLiteConnection

    init() throws {
        folder = try TemporaryFolder()
        db = try SQLiteConnection(path: folder.path + "/a.sqlite", .readWrite, busyTimeout: .zero)
    }

    private func row(_ sql: String, _ values: [SQLiteValue] = []) throws -> [SQLiteValue] {
        let statement = try db.prepare(sql, values)
        return try statement.step() ? try statement.row() : []
    }

    @Test(
        arguments: [
            .null, .integer(.min), .integer(.max), .integer(0), .real(-0.5), .text(""), .text("Größe\0und 🗻"),
            .blob([]),
            .blob([0, 0xFF]),
        ] as [SQLiteValue])
    func `A value is stored and read without change`(_ value: SQLiteValue) throws {
        try db.execute("CREATE TABLE a (value)")
        try db.prepare("INSERT INTO a VALUES (?)", [value]).run()
        #expect(try row("SELECT value FROM a") == [value])
        let same = try db.prepare("SELECT count(*) FROM a WHERE value IS ?", [value])
        #expect(try same.step())
        #expect(try same.integer(at: 0) == 1)
    }

    @Test func `A text has a byte for each of its bytes, NUL included`() throws {
        let bytes = try row("SELECT CAST(? AS BLOB)", [.text("a\0b")])
        #expect(bytes == [.blob([0x61, 0, 0x62])])
    }

    @Test func `Invalid UTF-8 in a text is replaced`() throws {
        let rows = try db.prepare("SELECT CAST(x'61ff0062' AS TEXT)")
        #expect(try rows.step())
        #expect(try rows.text(at: 0) == "a\u{FFFD}\0b")
    }

    @Test func `A value of another storage class is an error, not converted`() throws {
        let rows = try db.prepare("SELECT 7 AS number, 'x' AS word, x'ff' AS bytes, NULL AS missing")
        #expect(try rows.step())
        for column in [0, 2, 3] {
            let error = #expect(throws: SQLiteError.self) { try rows.text(at: column) }
            #expect(error?.code == .mismatch)
        }
        let error = try #require(throws: SQLiteError.self) { try rows.integer(at: 1) }
        #expect("\(error)".contains("column 1 (word)"))
        #expect(throws: SQLiteError.self) { try rows.textIfPresent(at: 2) }
        #expect(try rows.textIfPresent(at: 3) == nil)
        #expect(try rows.textIfPresent(at: 1) == "x")
    }

    @Test func `A column that is not there is an error`() throws {
        let rows = try db.prepare("SELECT 7")
        #expect(throws: SQLiteError.self) { try rows.integer(at: 0) }
        #expect(try rows.step())
        for column in [-1, 1, .max, .min] {
            let error = #expect(throws: SQLiteError.self) { try rows.value(at: column) }
            #expect(error?.code == .outOfRange)
        }
        #expect(try !rows.step())
        #expect(rows.columnCount == 0)
        #expect(throws: SQLiteError.self) { try rows.integer(at: 0) }
    }

    @Test(arguments: ["", " -- only a comment", "SELECT 1; SELECT 2", "SELECT 1\0"])
    func `SQL that is not one statement is refused`(_ sql: String) throws {
        let error = #expect(throws: SQLiteError.self) { try db.prepare(sql) }
        #expect(error?.code == .misuse)
    }

    @Test func `Semicolons, white space and comments around a statement are ignored`() throws {
        #expect(try row(" ; /* one */ SELECT 1;; -- two\n ") == [.integer(1)])
        try db.execute(";;CREATE TABLE a (b); -- a comment\n;INSERT INTO a VALUES ('x;y')")
        #expect(try row("SELECT b FROM a") == [.text("x;y")])
    }

    @Test(arguments: [[], [.integer(1)], [.integer(1), .null, .null]] as [[SQLiteValue]])
    func `Every parameter needs a value`(_ values: [SQLiteValue]) throws {
        let error = #expect(throws: SQLiteError.self) { try db.prepare("SELECT ?, ?", values) }
        #expect(error?.code == .misuse)
    }

    @Test func `A cached statement begins again each time, and can be used inside itself`() throws {
        let sql = "WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT i FROM n"
        func all(_ first: Int64) throws -> [Int64] {
            let rows = try db.cached(sql, [.integer(first)])
            var found: [Int64] = []
            while try rows.step() { found.append(try rows.integer(at: 0)) }
            return found
        }
        func some(_ first: Int64) throws -> [[Int64]] {
            let rows = try db.cached(sql, [.integer(first)])
            var found: [[Int64]] = []
            while found.count < 2, try rows.step() { found.append(try all(try rows.integer(at: 0) * 10)) }
            return found
        }
        #expect(try all(1) == [1, 2, 3])
        #expect(try some(1) == [[10, 11, 12], [20, 21, 22]])
        #expect(try all(5) == [5, 6, 7])
    }

    @Test func `A statement that has failed can be run again`() throws {
        try db.execute("CREATE TABLE a (b INTEGER PRIMARY KEY)")
        let insert = try db.prepare("INSERT INTO a VALUES (?)", [.integer(1)])
        try insert.run()
        #expect(throws: SQLiteError.self) { try insert.run() }
        try insert.run([.integer(.min)])
        #expect(db.lastInsertedRowID == .min)
        #expect(try row("SELECT count(*) FROM a") == [.integer(2)])
    }

    @Test func `More statements are cached than are kept`() throws {
        for number in 0..<100 {
            let rows = try db.cached("SELECT \(number)")
            #expect(try rows.step())
            #expect(try rows.integer(at: 0) == Int64(number))
        }
        try db.close()
    }
}
