internal import CPosix
internal import Glibc

/// An open folder: every name below it is looked up relative to its descriptor, one plain name at a time, without
/// following symbolic links, so that nothing a peer says can lead outside.
///
/// A plain name has 1 to 255 bytes, no `/` and no NUL, and is neither `.` nor `..`; any other is refused with `EINVAL`.
/// Every call blocks on the disk: call from a ``ThreadExecutor`` or a thread of one's own.
public final class Folder: Sendable {
    /// Where it was opened, for messages.
    public let path: String
    let descriptor: FileDescriptorHandle
    let fault: FileFault?

    /// Opens an existing folder that the user named; symbolic links in `path` are followed, since they are the user's.
    public convenience init(opening path: String, fault: FileFault? = nil) throws(PosixError) {
        let result = unsafe caprig_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0)
        guard result >= 0 else { throw PosixError(code: -result, operation: "open folder", subject: path) }
        self.init(descriptor: FileDescriptorHandle(owning: result), path: path, fault: fault)
    }

    init(descriptor: consuming FileDescriptorHandle, path: String, fault: FileFault?) {
        self.descriptor = descriptor
        self.path = path
        self.fault = fault
    }

    /// The path of `name` in this folder, for messages.
    public func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    /// Returns once the names in this folder are on the disk.
    public func sync() throws(PosixError) {
        let operation = "make durable the folder"
        if let code = fault?(.syncFolder, path) { throw PosixError(code: code, operation: operation, subject: path) }
        let result = caprig_fsync(descriptor.rawValue)
        guard result == 0 else { throw PosixError(code: -result, operation: operation, subject: path) }
    }

    /// Gives the folder the present as its time of change, as if a name in it had come or gone.
    public func touch() throws(PosixError) {
        guard futimens(descriptor.rawValue, nil) == 0 else {
            throw PosixError(code: errno, operation: "set the time of change of", subject: path)
        }
    }

    /// Returns once everything written on this folder's file system before is on the disk: the cheaper way for several
    /// files, whoever wrote them, since a journaling file system commits once instead of once a file.
    public func syncFileSystem() throws(PosixError) {
        let operation = "make durable the file system of"
        if let code = fault?(.syncFileSystem, path) {
            throw PosixError(code: code, operation: operation, subject: path)
        }
        let result = caprig_syncfs(descriptor.rawValue)
        guard result == 0 else { throw PosixError(code: -result, operation: operation, subject: path) }
    }

    /// Opens the folder `name`, which must not be a symbolic link.
    public func folder(_ name: String) throws(PosixError) -> Folder {
        try check(nil, "open folder", name)
        let result = unsafe caprig_openat(descriptor.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard result >= 0 else { throw failure(-result, "open folder", name) }
        return Folder(descriptor: FileDescriptorHandle(owning: result), path: path(of: name), fault: fault)
    }

    /// Opens the folder `name`, or returns nil where there is none.
    public func folderIfPresent(_ name: String) throws(PosixError) -> Folder? {
        do {
            return try folder(name)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// The folder at a path of names below this one, or nil where one of them is missing.
    public func folderIfPresent(_ names: [String]) throws(PosixError) -> Folder? {
        var folder = self
        for name in names {
            guard let next = try folder.folderIfPresent(name) else { return nil }
            folder = next
        }
        return folder
    }

    /// Opens the folder `name` and creates it (mode 0755) where missing.
    /// Its name is durable only after ``sync()`` of this folder.
    public func makeFolder(_ name: String) throws(PosixError) -> Folder {
        if let present = try folderIfPresent(name) { return present }
        try check(.makeFolder, "create folder", name)
        let result = unsafe caprig_mkdirat(descriptor.rawValue, name, 0o755)
        guard result == 0 || result == -EEXIST else { throw failure(-result, "create folder", name) }
        return try folder(name)
    }

    /// Opens the folder `name`, creates it where missing, and makes its name durable, also where it was there: whoever
    /// created it may have been stopped before that.
    public func makeDurableFolder(_ name: String) throws(PosixError) -> Folder {
        let folder = try makeFolder(name)
        try sync()
        return folder
    }

    /// Opens the folder at `path` that the user named; missing parts of it are created and made durable.
    public static func make(_ path: String, fault: FileFault? = nil) throws(PosixError) -> Folder {
        var folder = try Folder(opening: path.hasPrefix("/") ? "/" : ".", fault: fault)
        for name in path.split(separator: "/") where name != "." {
            let next = path.hasPrefix("/") || folder.path != "." ? folder.path(of: String(name)) : String(name)
            do {
                folder = try Folder(opening: next, fault: fault)
            } catch {
                guard error.code == ENOENT else { throw error }
                folder = try folder.makeDurableFolder(String(name))
            }
        }
        return folder
    }

    /// What lies at the path at which this folder was opened.
    public enum Place: Hashable, Sendable {
        /// This folder.
        case own
        /// Nothing: it was moved or removed.
        case nothing
        /// Something else, such as another folder, or the mount point of a file system that was unmounted.
        case other
    }

    /// Looks at the path again, following symbolic links as when it was opened.
    public func place() throws(PosixError) -> Place {
        var (own, found) = (stat(), stat())
        let result = unsafe caprig_fstat(descriptor.rawValue, &own)
        guard result == 0 else { throw PosixError(code: -result, operation: "examine", subject: path) }
        guard unsafe stat(path, &found) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return .nothing }
            throw PosixError(code: errno, operation: "examine", subject: path)
        }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino ? .own : .other
    }

    func check(_ step: FileStep?, _ operation: String, _ name: String) throws(PosixError) {
        guard Self.isPlain(name) else { throw failure(EINVAL, operation, name) }
        if let step, let code = fault?(step, path(of: name)) { throw failure(code, operation, name) }
    }

    func failure(_ code: CInt, _ operation: String, _ name: String) -> PosixError {
        PosixError(code: code, operation: operation, subject: path(of: name))
    }

    private static func isPlain(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") }
    }
}
