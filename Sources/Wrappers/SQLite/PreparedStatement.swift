internal import CSQLite

/// One compiled statement of libsqlite3, finalized with its owner.
///
/// While it exists, SQLite refuses to close the connection that compiled it.
@safe
final class PreparedStatement {
    let pointer: OpaquePointer
    /// The text of this statement alone.
    let sql: String

    init(_ pointer: OpaquePointer, sql: String) {
        unsafe self.pointer = pointer
        self.sql = sql
    }

    deinit { unsafe sqlite3_finalize(pointer) }

    /// Ends a run, which releases its locks, and forgets the bound values.
    func reset() {
        // The result repeats the error of the last step, which has been reported.
        _ = unsafe sqlite3_reset(pointer)
        _ = unsafe sqlite3_clear_bindings(pointer)
    }
}
