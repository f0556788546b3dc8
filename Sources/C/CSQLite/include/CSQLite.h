/// SQLite's C interface, and the calls with a macro that Swift cannot import.
#ifndef CAPRIG_CSQLITE_H
#define CAPRIG_CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

/// Binds a copy of `count` bytes of UTF-8, which may be NULL if there are none. Returns a result code.
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

/// The same of a blob.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

#endif
