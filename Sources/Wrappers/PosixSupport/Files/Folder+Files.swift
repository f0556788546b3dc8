internal import CPosix
internal import Glibc

extension Folder {
    /// The purpose of opening a file.
    public enum Access: Sendable {
        case reading
        /// Created if it is missing (mode 0644), emptied if it exists.
        case writing
        /// Created (mode 0644); `EEXIST` if the name is taken.
        case creating
        /// Created for its owner only (mode 0600); `EEXIST` if the name is taken.
        case creatingPrivate
        /// Created if it is missing; every write appends.
        case appending
        /// Must exist; read and written at any position.
        case updating

        fileprivate var flags: CInt {
            switch self {
            case .reading: O_RDONLY | O_NONBLOCK
            case .writing: O_WRONLY | O_CREAT | O_TRUNC
            case .creating, .creatingPrivate: O_WRONLY | O_CREAT | O_EXCL
            case .appending: O_RDWR | O_CREAT | O_APPEND
            case .updating: O_RDWR | O_NONBLOCK
            }
        }

        /// The permissions of a file that is created.
        fileprivate var permissions: mode_t {
            if case .creatingPrivate = self { 0o600 } else { 0o644 }
        }
    }

    /// Opens the file `name`, which must not be a symbolic link.
    public func open(_ name: String, for access: Access) throws(PosixError) -> OpenFile {
        let operation = access.flags & (O_CREAT | O_RDWR) == 0 ? "open" : "open for writing"
        try check(.open, operation, name)
        let result = unsafe caprig_openat(descriptor.rawValue, name, access.flags | O_NOFOLLOW, access.permissions)
        guard result >= 0 else { throw failure(-result, operation, name) }
        return OpenFile(descriptor: FileDescriptorHandle(owning: result), path: path(of: name), fault: fault)
    }

    /// Creates the file `name` for writing. An existing file loses its name, and processes that still write to it do not write to the new
    /// one.
    public func create(_ name: String) throws(PosixError) -> OpenFile {
        try remove(name)
        return try open(name, for: .creating)
    }

    /// Creates a file for its owner only (mode 0600), open for reading and writing, without a name: its bytes are gone as soon as no
    /// process has it open, also after a crash. A crash within this call may leave an empty file `.unnamed-…`.
    public func createUnnamed() throws(PosixError) -> OpenFile {
        let name = ".unnamed-\(UInt64.random(in: 0...UInt64.max))"
        try check(.open, "create", name)
        let result = unsafe caprig_openat(descriptor.rawValue, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard result >= 0 else { throw failure(-result, "create", name) }
        let file = OpenFile(descriptor: FileDescriptorHandle(owning: result), path: path(of: name), fault: fault)
        try remove(name)
        return file
    }

    /// Returns the bytes of the file `name`.
    /// - Throws: `EFBIG` if it is longer than `limit` bytes.
    public func read(_ name: String, limit: Int) throws(PosixError) -> [UInt8] {
        let file = try open(name, for: .reading)
        let byteCount = try file.byteCount()
        guard byteCount <= Int64(limit) else { throw failure(EFBIG, "read", name) }
        return try file.read(at: 0, count: Int(byteCount))
    }

    /// Writes a file and makes its bytes durable. Its name is durable only after ``sync()`` of this folder. A crash may leave any part of
    /// the file.
    public func write(_ pieces: [[UInt8]], to name: String) throws(PosixError) {
        let file = try open(name, for: .writing)
        for piece in pieces { try file.write(piece) }
        try file.sync()
    }

    /// Puts a file in place in one step and makes it durable. After a crash the name has either the complete old content or the complete
    /// new content. A leftover `name.tmp` may remain, which the next call overwrites.
    public func publish(_ pieces: [[UInt8]], as name: String) throws(PosixError) {
        let temporary = name + ".tmp"
        do {
            try write(pieces, to: temporary)
            try rename(temporary, to: name)
        } catch {
            try? remove(temporary)
            throw error
        }
        try sync()
    }

    /// Renames the file or folder `name` to `newName` in `folder` (by default this one), on the same file system. An existing file is
    /// replaced; see ``renameWithoutReplacing(_:in:to:)``. Durable after ``sync()`` of the target folder.
    public func rename(_ name: String, in folder: Folder? = nil, to newName: String) throws(PosixError) {
        let target = folder ?? self
        try check(.rename, "rename", name)
        try target.check(nil, "rename to", newName)
        let result = unsafe caprig_rename(descriptor.rawValue, name, target.descriptor.rawValue, newName)
        guard result == 0 else { throw failure(-result, "rename to \(target.path(of: newName))", name) }
    }

    /// Gives the file `name` a second name in `folder`, on the same file system. For a symbolic link, the link itself gets the name, not
    /// its target. Durable after ``sync()`` of the target folder.
    /// - Throws: `EEXIST` if the name is taken; `EXDEV` across file systems.
    public func link(_ name: String, in folder: Folder, to newName: String) throws(PosixError) {
        try check(nil, "link", name)
        try folder.check(nil, "link to", newName)
        let result = unsafe caprig_link(descriptor.rawValue, name, folder.descriptor.rawValue, newName)
        guard result == 0 else { throw failure(-result, "link to \(folder.path(of: newName))", name) }
    }

    /// Removes the file `name`. It is not an error if the file does not exist. Durable after ``sync()``.
    public func remove(_ name: String) throws(PosixError) {
        try check(.remove, "remove", name)
        let result = unsafe caprig_unlinkat(descriptor.rawValue, name, 0)
        guard result == 0 || result == -ENOENT else { throw failure(-result, "remove", name) }
    }

    /// Removes the folder `name` if it is empty. It is not an error if the folder does not exist. Durable after ``sync()``.
    /// - Throws: `ENOTEMPTY`.
    public func removeEmptyFolder(_ name: String) throws(PosixError) {
        try check(.remove, "remove folder", name)
        let result = unsafe caprig_unlinkat(descriptor.rawValue, name, AT_REMOVEDIR)
        guard result == 0 || result == -ENOENT else { throw failure(-result, "remove folder", name) }
    }

    /// Moves a file to another folder. An earlier file of the same name there is kept. Durable after ``sync()`` of both folders.
    /// - Returns: The file's name there.
    @discardableResult
    public func setAside(_ name: String, in folder: Folder, as wanted: String) throws(PosixError) -> String {
        var target = wanted
        var number = 0
        while true {
            do throws(PosixError) {
                try renameWithoutReplacing(name, in: folder, to: target)
                return target
            } catch {
                guard error.code == EEXIST else { throw error }
            }
            number += 1
            target = "\(wanted).\(number)"
        }
    }

    /// Returns the entries of this folder in order of name, without `.` and `..`. Names that are not UTF-8 are left out.
    public func entries() throws(PosixError) -> [FolderEntry] {
        var found: [FolderEntry] = []
        for name in try names() {
            if let entry = try entry(name) { found.append(entry) }
        }
        return found
    }

    /// Returns the names in this folder, sorted, without `.` and `..`. Names that are not UTF-8 are left out.
    public func names() throws(PosixError) -> [String] {
        var code: CInt = 0
        guard let stream = unsafe caprig_open_entries(descriptor.rawValue, &code) else {
            throw PosixError(code: code, operation: "list folder", subject: path)
        }
        defer { unsafe caprig_close_entries(stream) }
        var names: [String] = []
        while let name = unsafe caprig_next_entry(stream, &code) {
            if let text = unsafe String(validatingCString: name), text != ".", text != ".." { names.append(text) }
        }
        guard code == 0 else { throw PosixError(code: code, operation: "list folder", subject: path) }
        return names.sorted()
    }

    /// Returns the entry `name` of this folder, or nil.
    public func entry(_ name: String) throws(PosixError) -> FolderEntry? {
        try check(nil, "examine", name)
        var status = stat()
        let result = unsafe caprig_lstatat(descriptor.rawValue, name, &status)
        guard result != -ENOENT else { return nil }
        guard result == 0 else { throw failure(-result, "examine", name) }
        let kind: FolderEntry.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        return FolderEntry(name: name, kind: kind, byteCount: Int64(status.st_size))
    }
}
