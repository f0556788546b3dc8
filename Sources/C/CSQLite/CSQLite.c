#include "CSQLite.h"

// SQLite binds NULL for a null pointer, even if the value is empty.
static const char nothing[] = "";

int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count) {
    return sqlite3_bind_text64(statement, index, bytes ? bytes : nothing, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : nothing, count, SQLITE_TRANSIENT);
}
