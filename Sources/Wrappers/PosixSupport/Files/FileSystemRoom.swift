internal import Glibc

/// What may still be stored on a file system (`fstatvfs(3)`).
public struct FileSystemRoom: Hashable, Sendable {
    /// The bytes that this user may still write, if the file system accepts any.
    public var freeBytes: Int64
    /// The files and folders that this user may still create; nil if the file system does not count them.
    public var freeFiles: Int64?
    /// Whether it is mounted read-only, or the kernel has made it read-only after an error.
    public var isReadOnly: Bool

    public init(freeBytes: Int64, freeFiles: Int64? = nil, isReadOnly: Bool = false) {
        (self.freeBytes, self.freeFiles, self.isReadOnly) = (freeBytes, freeFiles, isReadOnly)
    }

    /// Why no file can be created, however small.
    public enum Obstacle: Hashable, Sendable, CustomStringConvertible {
        case readOnly
        /// Fewer inodes are free than are needed.
        case noInode(free: Int64, needed: Int64)

        /// A sentence without its subject, the disk.
        public var description: String {
            switch self {
            case .readOnly: "is mounted read-only: remount it, or look in the kernel log for the reason"
            case .noInode(let free, let needed):
                "has too few inodes: \(free) inodes are free, and \(needed) needed; remove files from it, or use another disk"
            }
        }
    }

    /// Returns why so many files and folders cannot be created; nil if they can, as far as the file system tells.
    public func obstacle(toCreating count: Int64 = 1) -> Obstacle? {
        if isReadOnly { return .readOnly }
        return freeFiles.flatMap { $0 < count ? .noInode(free: $0, needed: count) : nil }
    }

    /// The bytes that a new file may have.
    public var usableBytes: Int64 { obstacle() == nil ? freeBytes : 0 }
}

extension Folder {
    /// Returns the room on the file system of this folder.
    public func room() throws(PosixError) -> FileSystemRoom {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor.rawValue, &status) == 0 else {
            throw PosixError(code: errno, operation: "ask for the free space of", subject: path)
        }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        // A file system that creates inodes as it needs them says that it has none at all.
        let files = status.f_files > 0 ? Int64(clamping: status.f_favail) : nil
        // ST_RDONLY
        return FileSystemRoom(
            freeBytes: overflow ? .max : Int64(clamping: bytes), freeFiles: files, isReadOnly: status.f_flag & 1 != 0)
    }
}
