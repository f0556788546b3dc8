internal import CSQLite

/// A prepared statement: values are bound to it, and its rows are read one at a time.
///
/// Keeps its connection alive, and is used where its connection is used. All calls block like those of ``SQLiteConnection``. As long as it
/// is at a row, it holds SQLite's lock for reading; release it, or read to the end.
@safe
public final class SQLiteStatement {
    private let connection: SQLiteConnection
    private let prepared: PreparedStatement
    /// The text under which the connection keeps it when it is released; nil if it does not.
    private let cacheKey: String?

    init(_ prepared: PreparedStatement, of connection: SQLiteConnection, cachedAs cacheKey: String? = nil) {
        self.connection = connection
        self.prepared = prepared
        self.cacheKey = cacheKey
    }

    deinit {
        if let cacheKey { connection.keep(prepared, for: cacheKey) }
    }

    /// Binds a value to each parameter, in order, and goes back to before the first row.
    /// - Throws: ``SQLiteError/Code/misuse`` if there are more or fewer values than parameters.
    public func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        prepared.reset()
        let count = Int(unsafe sqlite3_bind_parameter_count(prepared.pointer))
        guard values.count == count else {
            throw connection.misuse(prepared.sql, "\(values.count) values for \(count) parameters")
        }
        for (index, value) in zip(Int32(1)..., values) {
            let status = bind(value, at: index)
            guard status == SQLITE_OK else { throw connection.failure(status, "bind a value to", prepared.sql) }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        let pointer = unsafe prepared.pointer
        return switch value {
        case .null: unsafe sqlite3_bind_null(pointer, index)
        case .integer(let integer): unsafe sqlite3_bind_int64(pointer, index, integer)
        case .real(let real): unsafe sqlite3_bind_double(pointer, index, real)
        case .text(let text):
            unsafe text.utf8.span.withUnsafeBufferPointer { bytes in
                unsafe csqlite_bind_text(pointer, index, bytes.baseAddress, UInt64(bytes.count))
            }
        case .blob(let blob):
            unsafe blob.withUnsafeBufferPointer { bytes in
                unsafe csqlite_bind_blob(pointer, index, bytes.baseAddress, UInt64(bytes.count))
            }
        }
    }

    /// Goes to the next row. After the last row, or an error, the statement is before its first row again, with the same values.
    /// - Returns: Whether there is one. A statement that returns no rows has then been run.
    public func step() throws(SQLiteError) -> Bool {
        let status = unsafe sqlite3_step(prepared.pointer)
        if status == SQLITE_ROW { return true }
        let error = status == SQLITE_DONE ? nil : connection.failure(status, "run", prepared.sql)
        _ = unsafe sqlite3_reset(prepared.pointer)
        if let error { throw error }
        return false
    }

    /// Runs the statement to its end.
    public func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Binds a value to each parameter and runs the statement to its end.
    public func run(_ values: [SQLiteValue]) throws(SQLiteError) {
        try bind(values)
        try run()
    }
}

/// Columns of the row that ``SQLiteStatement/step()`` has found, counted from 0.
extension SQLiteStatement {
    /// The number of columns; 0 without a row.
    public var columnCount: Int { Int(unsafe sqlite3_data_count(prepared.pointer)) }

    /// Returns a value with its storage class.
    /// - Throws: ``SQLiteError/Code/outOfRange`` if there is no row or no such column.
    public func value(at column: Int) throws(SQLiteError) -> SQLiteValue {
        switch try storageClass(of: column) {
        case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(prepared.pointer, Int32(column)))
        case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(prepared.pointer, Int32(column)))
        case SQLITE_TEXT: .text(try readText(column))
        case SQLITE_BLOB: .blob(try readBlob(column))
        default: .null
        }
    }

    /// Returns the values of all columns.
    public func row() throws(SQLiteError) -> [SQLiteValue] {
        var values: [SQLiteValue] = []
        for column in 0..<columnCount { values.append(try value(at: column)) }
        return values
    }

    /// Returns an integer.
    /// - Throws: ``SQLiteError/Code/mismatch`` if the value has another storage class.
    public func integer(at column: Int) throws(SQLiteError) -> Int64 {
        guard try storageClass(of: column) == SQLITE_INTEGER else { throw mismatch(column, "integer") }
        return unsafe sqlite3_column_int64(prepared.pointer, Int32(column))
    }

    /// Returns a text, with each invalid sequence of UTF-8 replaced by U+FFFD. It may contain NULs.
    /// - Throws: ``SQLiteError/Code/mismatch`` if the value has another storage class.
    public func text(at column: Int) throws(SQLiteError) -> String {
        guard try storageClass(of: column) == SQLITE_TEXT else { throw mismatch(column, "text") }
        return try readText(column)
    }

    /// Returns a text; nil for NULL.
    /// - Throws: ``SQLiteError/Code/mismatch`` if the value has another storage class.
    public func textIfPresent(at column: Int) throws(SQLiteError) -> String? {
        try isNull(at: column) ? nil : try text(at: column)
    }

    public func isNull(at column: Int) throws(SQLiteError) -> Bool {
        try storageClass(of: column) == SQLITE_NULL
    }

    private func storageClass(of column: Int) throws(SQLiteError) -> Int32 {
        guard column >= 0, column < columnCount else {
            throw SQLiteError(
                .outOfRange, "read column \(column) of", statement: prepared.sql, file: connection.path,
                message: columnCount == 0 ? "there is no row" : "the row has \(columnCount) columns")
        }
        return unsafe sqlite3_column_type(prepared.pointer, Int32(column))
    }

    private func mismatch(_ column: Int, _ expected: String) -> SQLiteError {
        let name = unsafe sqlite3_column_name(prepared.pointer, Int32(column)).map { unsafe String(cString: $0) } ?? ""
        return SQLiteError(
            .mismatch, "read column \(column) (\(name)) of", statement: prepared.sql, file: connection.path,
            message: "the value is not of the storage class \(expected)")
    }

    private func readText(_ column: Int) throws(SQLiteError) -> String {
        // SQLite returns no pointer only if it has no memory. The length is of the bytes that the first call returns.
        guard let start = unsafe sqlite3_column_text(prepared.pointer, Int32(column)) else {
            throw connection.failure(SQLITE_NOMEM, "read a text of", prepared.sql)
        }
        let count = Int(unsafe sqlite3_column_bytes(prepared.pointer, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func readBlob(_ column: Int) throws(SQLiteError) -> [UInt8] {
        // SQLite returns no pointer for an empty blob.
        let start = unsafe sqlite3_column_blob(prepared.pointer, Int32(column))
        let count = Int(unsafe sqlite3_column_bytes(prepared.pointer, Int32(column)))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
