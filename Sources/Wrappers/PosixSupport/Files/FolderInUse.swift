internal import CPosix
internal import Glibc

/// A folder that another process uses.
public struct FolderInUse: Error, Hashable, CustomStringConvertible {
    public var path: String
    /// The process that holds it, as it recorded itself; nil if it could not.
    public var processID: Int32?

    public var description: String {
        let holder = processID.map { "process \($0)" } ?? "another process"
        return "\(path) is in use by \(holder); stop that one, or configure another folder"
    }
}
