internal import CPosix
internal import Glibc

/// What tells one content of a file from another without reading it: it changes when the file is written or replaced.
public struct FileVersion: Hashable, Sendable {
    /// Device and inode: which file it is, whatever its name.
    public var device: UInt64
    public var inode: UInt64
    public var byteCount: Int64
    /// Time of the last change of its bytes (`st_mtim`), nanoseconds since 1970.
    public var modifiedNanoseconds: Int64
    /// Whether it is a regular file, and no folder, device, pipe or link.
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
    /// The version of the file `name`; of the link itself where it is a symbolic link.
    public func version(of name: String) throws(PosixError) -> FileVersion {
        guard let version = try versionIfPresent(of: name) else { throw failure(ENOENT, "examine", name) }
        return version
    }

    /// The version of the file `name`, or nil where there is none.
    public func versionIfPresent(of name: String) throws(PosixError) -> FileVersion? {
        try check(nil, "examine", name)
        var status = stat()
        let result = unsafe caprig_lstatat(descriptor.rawValue, name, &status)
        guard result != -ENOENT else { return nil }
        guard result == 0 else { throw failure(-result, "examine", name) }
        return FileVersion(status)
    }
}
