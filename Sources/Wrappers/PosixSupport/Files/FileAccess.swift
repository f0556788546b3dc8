internal import CPosix
internal import Glibc

/// Whether this process may read and write a file or device node, and who owns it. Nothing is opened.
///
/// The kernel is asked with `access(2)`, so ACLs, security modules and the device policy of a service are included. The device policy
/// causes `EPERM`, permissions cause `EACCES`.
public struct FileAccess: Hashable, Sendable {
    /// The reason for a refusal: `EACCES`, `EPERM`, `ENOENT` and so on; nil if access is allowed.
    public var refusal: PosixError?
    /// The owner; nil if the file does not exist.
    public var ownership: Ownership?

    /// The permissions of a file.
    public struct Ownership: Hashable, Sendable {
        public var owner: UInt32
        public var group: UInt32
        /// The group's name; nil if the system has no name for the number.
        public var groupName: String?
        /// The lowest twelve bits of its mode, such as `0o660`.
        public var permissions: UInt32
        /// Whether this process is a member of the group.
        public var isInGroup: Bool

        public init(owner: UInt32, group: UInt32, groupName: String?, permissions: UInt32, isInGroup: Bool) {
            self.owner = owner
            self.group = group
            self.groupName = groupName
            self.permissions = permissions
            self.isInGroup = isInGroup
        }

        /// Whether the mode allows members of the group to read and write.
        public var groupMayUse: Bool { permissions & 0o060 == 0o060 }
    }

    public init(refusal: PosixError?, ownership: Ownership?) {
        self.refusal = refusal
        self.ownership = ownership
    }

    /// Checks `path`, following symbolic links. May query the system's user database, and so block.
    public init(path: String) {
        let code = unsafe access(path, R_OK | W_OK) == 0 ? 0 : errno
        refusal = code == 0 ? nil : PosixError(code: code, operation: "open for reading and writing", subject: path)
        var status = stat()
        ownership = unsafe caprig_stat(path, &status) == 0 ? Ownership(status) : nil
    }
}

extension FileAccess.Ownership {
    init(_ status: stat) {
        self.init(
            owner: status.st_uid, group: status.st_gid, groupName: Self.name(ofGroup: status.st_gid),
            permissions: status.st_mode & 0o7777, isInGroup: Self.isMember(of: status.st_gid))
    }

    private static func isMember(of group: gid_t) -> Bool {
        if getegid() == group { return true }
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = unsafe getgroups(CInt(groups.count), &groups)
        return count > 0 && groups[..<Int(count)].contains(group)
    }

    private static func name(ofGroup group: gid_t) -> String? {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        let result = unsafe getgrgid_r(group, &entry, &buffer, buffer.count, &found)
        guard result == 0, unsafe found != nil, let name = unsafe entry.gr_name else { return nil }
        return unsafe String(cString: name)
    }
}

/// The sole owner of a file descriptor, which it closes at the end of its lifetime.
///
/// Errors of `close(2)` are not reported. If the bytes must be durable, call `fsync` before.
public struct FileDescriptorHandle: ~Copyable, Sendable {
    /// The descriptor, valid during the lifetime of this value.
    public let rawValue: CInt

    /// Takes ownership of `descriptor`, which nothing else may close.
    public init(owning descriptor: CInt) {
        rawValue = descriptor
    }

    deinit {
        _ = Glibc.close(rawValue)
    }
}

/// Distinguishes two contents of a file without reading them: it changes when the file is written or replaced.
public struct FileVersion: Hashable, Sendable {
    /// Device and inode, which identify the file independently of its name.
    public var device: UInt64
    public var inode: UInt64
    public var byteCount: Int64
    /// Time of the last change of its bytes (`st_mtim`), nanoseconds since 1970.
    public var modifiedNanoseconds: Int64
    /// Whether it is a regular file, as opposed to a folder, device, pipe or link.
    public var isRegular: Bool

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        byteCount = Int64(status.st_size)
        let (seconds, overflow) = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        modifiedNanoseconds = (overflow ? 0 : seconds) &+ Int64(status.st_mtim.tv_nsec)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}

extension Folder {
    /// Returns the version of the file `name`; for a symbolic link, that of the link itself.
    public func version(of name: String) throws(PosixError) -> FileVersion {
        guard let version = try versionIfPresent(of: name) else { throw failure(ENOENT, "examine", name) }
        return version
    }

    /// Returns the version of the file `name`, or nil if it does not exist.
    public func versionIfPresent(of name: String) throws(PosixError) -> FileVersion? {
        try check(nil, "examine", name)
        var status = stat()
        let result = unsafe caprig_lstatat(descriptor.rawValue, name, &status)
        guard result != -ENOENT else { return nil }
        guard result == 0 else { throw failure(-result, "examine", name) }
        return FileVersion(status)
    }
}
