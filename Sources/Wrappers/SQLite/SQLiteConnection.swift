internal import CSQLite

/// One connection to a database file.
///
/// Owns the connection of libsqlite3, which is opened without locks of its own. Not `Sendable`: the compiler lets one thread, actor or task
/// use it at a time. All calls block: on the disk, and for at most the busy timeout on other connections. Foreign keys are enforced.
@safe
public final class SQLiteConnection {
    /// What a connection may do with its file.
    public enum Access: Hashable, Sendable {
        case readOnly
        /// Creates the file if it does not exist.
        case readWrite
    }

    /// The most statements that are kept for their next use.
    private static let keptLimit = 32

    /// The path of the database.
    public let path: String
    /// nil after ``close()``.
    private var handle: OpaquePointer?
    /// Statements of ``cached(_:_:)`` that nobody uses, by their text.
    private var idle: [String: PreparedStatement] = [:]

    /// Opens a database. The content of the file is not read yet.
    /// - Parameters:
    ///   - path: The path of a file, never a URI.
    ///   - busyTimeout: How long a call waits for a lock that another connection holds.
    public init(path: String, _ access: Access, busyTimeout: Duration) throws(SQLiteError) {
        self.path = path
        let flags = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // SQLite gives a meaning to `file:` and `:memory:`.
        let status = unsafe sqlite3_open_v2(
            path.hasPrefix("/") ? path : "./" + path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        // A handle exists even then, and deinit closes it.
        guard status == SQLITE_OK else { throw failure(status, "open") }
        let milliseconds = busyTimeout / .milliseconds(1)
        unsafe sqlite3_busy_timeout(handle, Int32(max(0, min(milliseconds, Double(Int32.max)))))
        try execute("PRAGMA foreign_keys = ON")
    }

    deinit {
        idle = [:]
        unsafe sqlite3_close_v2(handle)
    }

    /// Closes the connection. Every further call on it throws.
    /// - Throws: ``SQLiteError/Code/busy`` if a statement of it still exists. The connection then stays open.
    public func close() throws(SQLiteError) {
        idle = [:]
        let status = unsafe sqlite3_close(handle)
        guard status == SQLITE_OK else { throw failure(status, "close") }
        unsafe handle = nil
    }

    /// Runs statements that are separated by semicolons, and ignores the rows that they return.
    public func execute(_ sql: String) throws(SQLiteError) {
        let text = try utf8(sql)
        var start = 0
        while start < text.count {
            let (compiled, end) = try compile(text, from: start)
            if let compiled { try SQLiteStatement(compiled, of: self).run() }
            start = end
        }
    }

    /// Prepares one statement and binds its values.
    public func prepare(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> SQLiteStatement {
        let statement = SQLiteStatement(try compileOnly(sql), of: self)
        try statement.bind(values)
        return statement
    }

    /// Returns a statement for SQL that is often used, and binds its values. When the result is released, the connection keeps the
    /// statement for the next call with the same SQL.
    public func cached(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> SQLiteStatement {
        let prepared = if let kept = idle.removeValue(forKey: sql) { kept } else { try compileOnly(sql) }
        let statement = SQLiteStatement(prepared, of: self, cachedAs: sql)
        try statement.bind(values)
        return statement
    }

    /// Runs one ``cached(_:_:)`` statement to its end.
    public func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        try cached(sql, values).run()
    }

    /// Keeps a statement that nobody uses.
    func keep(_ prepared: PreparedStatement, for sql: String) {
        guard idle[sql] == nil, idle.count < Self.keptLimit else { return }
        prepared.reset()
        idle[sql] = prepared
    }

    /// The row id of the last successful INSERT on this connection; 0 if there was none.
    public var lastInsertedRowID: Int64 {
        guard let handle = unsafe handle else { return 0 }
        return unsafe sqlite3_last_insert_rowid(handle)
    }

    /// Whether a transaction has begun and not ended.
    public var isInTransaction: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe sqlite3_get_autocommit(handle) == 0
    }

    /// Calls the body in a transaction that reads one state of the database. It must not be called inside a transaction.
    public func read<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction("BEGIN DEFERRED", body)
    }

    /// Calls the body in a transaction that may write from its beginning, and commits it. If anything throws, the database is as before.
    /// It must not be called inside a transaction.
    public func write<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    private func transaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite itself has rolled back after some errors, such as a full disk. If this fails too, the next transaction says so.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Returns an error with SQLite's message for the last failed call.
    func failure(_ status: Int32, _ operation: String, _ statement: String? = nil) -> SQLiteError {
        let message = unsafe handle.flatMap { unsafe sqlite3_errmsg($0) } ?? sqlite3_errstr(status)
        return SQLiteError(
            SQLiteError.Code(rawValue: status), operation, statement: statement, file: path,
            message: unsafe message.map { unsafe String(cString: $0) } ?? "unknown error")
    }
}

extension SQLiteConnection {
    /// Returns the bytes of SQL that SQLite reads to their end.
    private func utf8(_ sql: String) throws(SQLiteError) -> [UInt8] {
        let text = Array(sql.utf8)
        guard !text.contains(0) else { throw misuse(sql, "the SQL contains a NUL") }
        return text
    }

    /// Compiles SQL that must be one statement.
    private func compileOnly(_ sql: String) throws(SQLiteError) -> PreparedStatement {
        let text = try utf8(sql)
        var found: PreparedStatement?
        var start = 0
        while start < text.count {
            let (compiled, end) = try compile(text, from: start)
            if compiled != nil, found != nil { throw misuse(sql, "the SQL is more than one statement") }
            found = found ?? compiled
            start = end
        }
        guard let found else { throw misuse(sql, "the SQL is not a statement") }
        return found
    }

    /// Compiles the statement at an offset.
    /// - Returns: The statement, nil if there is only white space, a comment or a semicolon; and the offset of what follows.
    private func compile(
        _ text: [UInt8], from start: Int
    ) throws(SQLiteError) -> (statement: PreparedStatement?, end: Int) {
        guard let handle = unsafe handle else { throw misuse(Self.sql(text[start...]), "the connection is closed") }
        var pointer: OpaquePointer?
        var (status, end) = (SQLITE_OK, text.count)
        unsafe text.withUnsafeBytes { bytes in
            guard let first = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            var tail: UnsafePointer<CChar>?
            status = unsafe sqlite3_prepare_v3(
                handle, first + start, Int32(clamping: text.count - start), 0, &pointer, &tail)
            if let tail = unsafe tail { end = unsafe tail - first }
        }
        guard status == SQLITE_OK else { throw failure(status, "prepare", Self.sql(text[start...])) }
        guard let pointer = unsafe pointer else { return (nil, end > start ? end : text.count) }
        return unsafe (PreparedStatement(pointer, sql: Self.sql(text[start..<end])), end)
    }

    /// Returns the text of a statement without the white space before it.
    private static func sql(_ bytes: ArraySlice<UInt8>) -> String {
        String(String(decoding: bytes, as: UTF8.self).drop(while: \.isWhitespace))
    }

    func misuse(_ sql: String, _ message: String) -> SQLiteError {
        SQLiteError(.misuse, "use", statement: sql, file: path, message: message)
    }
}
