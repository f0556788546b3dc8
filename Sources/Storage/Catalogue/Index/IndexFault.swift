internal import SQLite

/// Why an index cannot be used.
enum IndexFault: Error {
    case absent
    case otherSchema
    case damaged(String)
    /// The file system cannot have SQLite's write-ahead log.
    case noWriteAheadLog
    /// So many shots have changed after it was written that reading their manifests costs more than the index saves.
    case farBehind

    /// Returns whether deleting the index and creating it again helps. It does not help with a full disk, for example.
    static func isCuredByRemaking(_ error: any Error) -> Bool {
        switch error {
        case IndexFault.noWriteAheadLog: false
        case is IndexFault: true
        case let error as SQLiteError:
            [.corrupt, .notADatabase, .schema, .error, .constraint].contains(error.code.primary)
        default: false
        }
    }

    /// Returns the reason as the end of a sentence that begins with "the index".
    static func reason(of error: any Error) -> String {
        switch error {
        case IndexFault.absent: "is not there"
        case IndexFault.otherSchema: "belongs to another version of this program"
        case IndexFault.damaged(let what): "is damaged (\(what.prefix(200)))"
        case IndexFault.farBehind: "is far behind the library"
        case IndexFault.noWriteAheadLog: "cannot be used (its file system lets SQLite keep no write-ahead log)"
        case let error as SQLiteError where error.code.primary == .cannotOpen: "does not exist, or may not be read"
        case let error as SQLiteError: "cannot be used (\(error.message))"
        default: "cannot be used (\(error))"
        }
    }
}
