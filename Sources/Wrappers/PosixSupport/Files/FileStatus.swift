internal import CPosix
internal import Glibc

/// Owner, permissions and length of a file or folder that is open, so that they belong to the content that is read.
public struct FileStatus: Hashable, Sendable {
    /// The number of the user that owns it.
    public var owner: UInt32
    /// The number of its group.
    public var group: UInt32
    /// The lowest twelve bits of its mode, such as `0o640`.
    public var permissions: UInt32
    public var kind: FolderEntry.Kind
    /// The length of a file in bytes; meaningless for other kinds.
    public var byteCount: Int64

    public init(owner: UInt32, group: UInt32, permissions: UInt32, kind: FolderEntry.Kind, byteCount: Int64) {
        self.owner = owner
        self.group = group
        self.permissions = permissions
        self.kind = kind
        self.byteCount = byteCount
    }

    /// Examines an open descriptor (`fstat(2)`).
    fileprivate init(of descriptor: CInt, _ path: String) throws(PosixError) {
        var status = stat()
        let result = unsafe caprig_fstat(descriptor, &status)
        guard result == 0 else { throw PosixError(code: -result, operation: "examine", subject: path) }
        let kind: FolderEntry.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        self.init(
            owner: status.st_uid, group: status.st_gid, permissions: status.st_mode & 0o7777, kind: kind,
            byteCount: Int64(status.st_size))
    }
}

extension OpenFile {
    /// Returns owner, permissions and length of this file, whatever its name stands for by then.
    public func status() throws(PosixError) -> FileStatus { try FileStatus(of: rawDescriptor, path) }

    /// Sets the permissions, independently of the process's file mode creation mask (`fchmod(2)`).
    public func setPermissions(_ permissions: UInt32) throws(PosixError) {
        guard fchmod(rawDescriptor, permissions) == 0 else {
            throw PosixError(code: errno, operation: "set the permissions of", subject: path)
        }
    }

    /// Gives the file to a group (`fchown(2)`).
    /// - Throws: `EPERM` if the process is neither root nor a member of the group.
    public func setGroup(_ group: UInt32) throws(PosixError) {
        guard fchown(rawDescriptor, .max, group) == 0 else {
            throw PosixError(code: errno, operation: "set the group of", subject: path)
        }
    }
}

extension Folder {
    /// Returns owner and permissions of this folder, whatever is at its path by then.
    public func status() throws(PosixError) -> FileStatus { try FileStatus(of: descriptor.rawValue, path) }

    /// Sets the permissions, independently of the process's file mode creation mask (`fchmod(2)`).
    public func setPermissions(_ permissions: UInt32) throws(PosixError) {
        guard fchmod(descriptor.rawValue, permissions) == 0 else {
            throw PosixError(code: errno, operation: "set the permissions of", subject: path)
        }
    }

    /// Gives the folder to a group (`fchown(2)`).
    /// - Throws: `EPERM` if the process is neither root nor a member of the group.
    public func setGroup(_ group: UInt32) throws(PosixError) {
        guard fchown(descriptor.rawValue, .max, group) == 0 else {
            throw PosixError(code: errno, operation: "set the group of", subject: path)
        }
    }
}
