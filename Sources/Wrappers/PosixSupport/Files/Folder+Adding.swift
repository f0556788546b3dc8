internal import CPosix
internal import Glibc

/// Folders to which a process may add files, and which it may not list.
extension Folder {
    /// Opens an existing folder that the user named, to create and rename files in it. Needs the permissions to write and to
    /// search (`-wx`), not the one to read.
    ///
    /// ``sync()`` and everything that uses it fail with `EBADF`, because the kernel allows it only on a folder that was opened for
    /// reading. ``OpenFile/syncFileSystem()`` makes names durable instead. Listing fails with `EACCES` while the folder may not
    /// be read.
    public convenience init(addingTo path: String) throws(PosixError) {
        let result = unsafe caprig_openat(AT_FDCWD, path, O_PATH | O_DIRECTORY, 0)
        guard result >= 0 else { throw PosixError(code: -result, operation: "open folder", subject: path) }
        self.init(descriptor: FileDescriptorHandle(owning: result), path: path, fault: nil)
    }

    /// Returns why this process may not add files to the folder at a path; nil if it may. Nothing is opened or changed.
    /// - Parameter listing: Whether it must be able to list the folder too.
    public static func refusal(toAddTo path: String, listing: Bool) -> PosixError? {
        let mode = W_OK | X_OK | (listing ? R_OK : 0)
        guard unsafe faccessat(AT_FDCWD, path, mode, AT_EACCESS) != 0 else { return nil }
        return PosixError(
            code: errno, operation: listing ? "list and add to folder" : "add to folder", subject: path)
    }
}

extension OpenFile {
    /// Returns once everything written before on this file's file system is on the disk, by any process, including the names
    /// of files. Takes as long as the disk needs for all of that.
    public func syncFileSystem() throws(PosixError) {
        let result = caprig_syncfs(rawDescriptor)
        guard result == 0 else {
            throw PosixError(code: -result, operation: "make durable the file system of", subject: path)
        }
    }
}
