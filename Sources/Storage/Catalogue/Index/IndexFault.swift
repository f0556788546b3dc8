internal import GRDB

/// Why an index is of no use as it is.
enum IndexFault: Error {
    case absent
    case otherSchema
    case damaged(String)
    /// So many shots have changed since it was written that reading their manifests costs more than it saves.
    case farBehind

    /// Whether deleting the index and making it anew helps; a full disk, for one, is not helped by it.
    static func isCuredByRemaking(_ error: any Error) -> Bool {
        switch error {
        case is IndexFault: return true
        case let error as DatabaseError:
            return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_SCHEMA, .SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(
                error.resultCode.primaryResultCode)
        default: return false
        }
    }

    /// As the end of a sentence that begins with "the index".
    static func reason(of error: any Error) -> String {
        switch error {
        case IndexFault.absent: "is not there"
        case IndexFault.otherSchema: "is of another version of this program"
        case IndexFault.damaged(let what): "is damaged (\(what.prefix(200)))"
        case IndexFault.farBehind: "is far behind the library"
        case let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_CANTOPEN:
            "is not there, or may not be read"
        case let error as DatabaseError: "cannot be used (\(error.message ?? "SQLite \(error.resultCode)"))"
        default: "cannot be used (\(error))"
        }
    }
}
