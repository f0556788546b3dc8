import Glibc
public import PosixSupport

/// Where a program is, as ``ChildProgram`` looks for it.
public enum ProgramPath {
    /// Returns the path of a program that this process may run.
    /// - Parameter name: Looked for in `PATH` if it has no slash.
    /// - Throws: `ENOENT` if there is none, `EACCES` if it may not be run.
    public static func find(_ name: String) throws(PosixError) -> String {
        guard !name.contains("/") else { return try runnable(name) }
        var failure = ENOENT
        for folder in folders {
            do throws(PosixError) {
                return try runnable("\(folder)/\(name)")
            } catch {
                if error.code == EACCES { failure = EACCES }
            }
        }
        throw PosixError(code: failure, operation: "run", subject: "the program '\(name)'")
    }

    /// The folders of `PATH`, or those that the C library takes without it.
    private static var folders: [String] {
        guard let path = unsafe getenv("PATH") else { return ["/bin", "/usr/bin"] }
        return unsafe String(cString: path).split(separator: ":").map(String.init)
    }

    private static func runnable(_ path: String) throws(PosixError) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw error(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PosixError(code: EACCES, operation: "run", subject: "the program '\(path)'")
        }
        guard unsafe access(path, X_OK) == 0 else { throw error(path) }
        return path
    }

    private static func error(_ path: String) -> PosixError {
        PosixError(code: errno, operation: "run", subject: "the program '\(path)'")
    }
}
