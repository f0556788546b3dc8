internal import CPosix
internal import Glibc

/// Whether this process may read and write a file or device node, and to whom it belongs. Nothing is opened.
///
/// Asked of the kernel as `access(2)` does, so that ACLs, security modules and the device policy of a service count:
/// the latter answers `EPERM`, permissions answer `EACCES`.
public struct FileAccess: Hashable, Sendable {
    /// Why not: `EACCES`, `EPERM`, `ENOENT` and so on; nil where it may.
    public var refusal: PosixError?
    /// To whom it belongs; nil where there is nothing.
    public var ownership: Ownership?

    /// The permissions of a file.
    public struct Ownership: Hashable, Sendable {
        public var owner: UInt32
        public var group: UInt32
        /// The group's name; nil where the system has none for the number.
        public var groupName: String?
        /// The lowest twelve bits of its mode: `0o660`.
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

        /// Whether the mode lets members of the group read and write.
        public var groupMayUse: Bool { permissions & 0o060 == 0o060 }
    }

    public init(refusal: PosixError?, ownership: Ownership?) {
        self.refusal = refusal
        self.ownership = ownership
    }

    /// Looks at `path`, following symbolic links. May ask the system's user database, and so block.
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
