internal import CPosix
internal import Glibc

/// An open folder. Every name below it is looked up relative to its descriptor, one plain name at a time, without following symbolic links,
/// so that no text of a peer can lead outside.
///
/// A plain name has 1 to 255 bytes, no `/` and no NUL, and is neither `.` nor `..`. Any other name is refused with `EINVAL`. Every call
/// blocks on the disk, so use a ``ThreadExecutor`` or a separate thread.
public final class Folder: Sendable {
    /// The path with which it was opened, for messages.
    public let path: String
    let descriptor: FileDescriptorHandle
    let fault: FileFault?

    /// Opens an existing folder that the user named. Symbolic links in `path` are followed, since they are the user's.
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

    /// Returns the path of `name` in this folder, for messages.
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

    /// Sets the folder's modification time to the current time, as if a name in it had been added or removed.
    public func touch() throws(PosixError) {
        guard futimens(descriptor.rawValue, nil) == 0 else {
            throw PosixError(code: errno, operation: "set the time of change of", subject: path)
        }
    }

    /// Returns once everything written before on this folder's file system is on the disk, by any process. For several files this is
    /// faster, since a journaling file system commits once instead of once for each file.
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

    /// Opens the folder `name`, or returns nil if it does not exist.
    public func folderIfPresent(_ name: String) throws(PosixError) -> Folder? {
        do {
            return try folder(name)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Returns the folder at a path of names below this one, or nil if one of them is missing.
    public func folderIfPresent(_ names: [String]) throws(PosixError) -> Folder? {
        var folder = self
        for name in names {
            guard let next = try folder.folderIfPresent(name) else { return nil }
            folder = next
        }
        return folder
    }

    /// Opens the folder `name`, and creates it if it is missing. Its name is durable only after ``sync()`` of this folder.
    /// - Parameter permissions: The permissions of a folder that is created.
    public func makeFolder(_ name: String, permissions: UInt32 = 0o755) throws(PosixError) -> Folder {
        if let present = try folderIfPresent(name) { return present }
        try check(.makeFolder, "create folder", name)
        let result = unsafe caprig_mkdirat(descriptor.rawValue, name, permissions)
        guard result == 0 || result == -EEXIST else { throw failure(-result, "create folder", name) }
        return try folder(name)
    }

    /// Opens the folder `name`, creates it if it is missing, and makes its name durable. This includes an existing folder, since its
    /// creator may have been stopped before that.
    public func makeDurableFolder(_ name: String, permissions: UInt32 = 0o755) throws(PosixError) -> Folder {
        let folder = try makeFolder(name, permissions: permissions)
        try sync()
        return folder
    }

    /// Opens the folder at `path` that the user named. Missing folders of the path are created and made durable.
    /// - Parameter permissions: The permissions of the folders that are created.
    public static func make(
        _ path: String, permissions: UInt32 = 0o755, fault: FileFault? = nil
    ) throws(PosixError) -> Folder {
        var folder = try Folder(opening: path.hasPrefix("/") ? "/" : ".", fault: fault)
        for name in path.split(separator: "/") where name != "." {
            let next = path.hasPrefix("/") || folder.path != "." ? folder.path(of: String(name)) : String(name)
            do {
                folder = try Folder(opening: next, fault: fault)
            } catch {
                guard error.code == ENOENT else { throw error }
                folder = try folder.makeDurableFolder(String(name), permissions: permissions)
            }
        }
        return folder
    }

    /// What is at the path with which this folder was opened.
    public enum Place: Hashable, Sendable {
        /// This folder.
        case own
        /// Nothing: the folder was moved or removed.
        case nothing
        /// Something else, such as another folder, or the mount point of a file system that was unmounted.
        case other
    }

    /// Checks the path again, following symbolic links as when it was opened.
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

/// An entry of a folder. Symbolic links are reported, not followed.
public struct FolderEntry: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case file
        case folder
        /// A symbolic link, socket, device or pipe.
        case other
    }

    public var name: String
    public var kind: Kind
    /// The length of a file in bytes; meaningless for other kinds.
    public var byteCount: Int64
}
