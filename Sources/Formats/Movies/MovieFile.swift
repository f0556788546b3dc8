internal import LibAV
internal import PosixSupport

/// Makes a file under a temporary name and gives it its own in one step, so that under that name there is the whole of it
/// or what was there before.
enum MovieFile {
    /// - Parameter make: Fills `temporary`, which is not there yet; makes nothing durable.
    /// - Returns: The file's length in bytes.
    /// - Throws: ``MovieError``; the temporary file is removed then.
    static func publish(
        in folder: Folder, as name: String, _ make: (_ temporary: String) throws(MovieError) -> Void
    ) throws(MovieError) -> Int64 {
        let temporary = name + ".tmp"
        do throws(MovieError) {
            try make(temporary)
            return try settle(temporary, in: folder, as: name)
        } catch {
            // It is the first error that tells; a file that stays goes with the next attempt.
            try? folder.remove(temporary)
            throw error
        }
    }

    private static func settle(_ temporary: String, in folder: Folder, as name: String) throws(MovieError) -> Int64 {
        do throws(PosixError) {
            let file = try folder.open(temporary, for: .reading)
            try file.sync()
            let count = try file.byteCount()
            try folder.rename(temporary, to: name)
            try folder.sync()
            return count
        } catch {
            throw MovieError(error)
        }
    }

    /// Opens a file with this module's error.
    static func open(_ name: String, in folder: Folder, for access: Folder.Access) throws(MovieError) -> OpenFile {
        try posix { () throws(PosixError) in try folder.open(name, for: access) }
    }

    /// Calls the codec and container library with this module's error.
    static func library<Result>(_ body: () throws(LibAVError) -> Result) throws(MovieError) -> Result {
        do throws(LibAVError) {
            return try body()
        } catch {
            throw error.file.map { MovieError($0) } ?? MovieError(.codec, error.operation, error.subject, error.cause)
        }
    }

    /// Works on files with this module's error.
    static func posix<Result>(_ body: () throws(PosixError) -> Result) throws(MovieError) -> Result {
        do throws(PosixError) {
            return try body()
        } catch {
            throw MovieError(error)
        }
    }
}
