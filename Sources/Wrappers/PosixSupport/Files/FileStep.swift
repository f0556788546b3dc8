internal import CPosix
internal import Glibc

/// A step of file work at which a disk can fail. Tests name the steps that fail.
public enum FileStep: String, Hashable, Sendable, CaseIterable {
    /// A file is opened for reading or writing, and created if it is missing.
    case open
    /// Bytes are read.
    case read
    /// Bytes are appended or a length is set.
    case write
    /// `fsync` of a file.
    case syncFile
    /// A file is renamed.
    case rename
    /// A file gets a second name, since the file system knows no rename that replaces nothing.
    case link
    /// A file is renamed while its new folder is locked, since the file system knows no links either.
    case renameLocked
    /// At a start, the file system is asked whether it can do all that publishing files needs.
    case tryPublishing
    /// `fsync` of a folder, which makes the names in it durable.
    case syncFolder
    /// `syncfs`: everything on the file system becomes durable.
    case syncFileSystem
    /// A folder is created.
    case makeFolder
    /// A file or empty folder is removed.
    case remove
}
