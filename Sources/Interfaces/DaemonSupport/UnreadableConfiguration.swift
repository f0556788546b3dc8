import Glibc
import ServiceLifecycle

/// A file that cannot be read as a configuration.
public struct UnreadableConfiguration: Error, CustomStringConvertible {
    var path: String
    var reason: String

    public var description: String { "\(path): the configuration cannot be read: \(reason)" }

    /// The kind of a file without text; nil for files and pipes, and if nothing exists there.
    static func unusableKind(_ path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFDIR: "folder"
        case S_IFCHR, S_IFBLK: "device"
        case S_IFSOCK: "socket"
        default: nil
        }
    }
}
