internal import PosixSupport

/// The tree of small pictures cannot be written.
struct StoreFailure: Error {
    var cause: PosixError

    static func of<Value>(_ work: () throws(PosixError) -> Value) throws(StoreFailure) -> Value {
        do {
            return try work()
        } catch {
            throw StoreFailure(cause: error)
        }
    }
}
