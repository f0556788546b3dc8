internal import CPosix
internal import Glibc

/// Giving a file a name that nobody has, on any file system.
extension Folder {
    /// How a file gets a name without replacing what has it, in the order in which the ways are tried.
    private enum Way: CaseIterable {
        /// `renameat2(RENAME_NOREPLACE)`: ext4, xfs, btrfs, tmpfs, SMB. FUSE file systems and NFS refuse it with `EINVAL`.
        case exclusiveRename
        /// `link`, then `unlink`: NFS, and FUSE file systems such as NTFS and mergerfs. A crash in between leaves both names.
        case link
        /// `rename` under a lock of the folder, if nobody has the name: FAT and exFAT, which know no links. Programs other than these may
        /// take the name in between, and then lose it.
        case lockedRename

        var step: FileStep {
            switch self {
            case .exclusiveRename: .rename
            case .link: .link
            case .lockedRename: .renameLocked
            }
        }

        /// Whether this errno means that the file system does not know this way.
        func isUnknown(_ code: CInt) -> Bool {
            switch self {
            case .exclusiveRename: [EINVAL, ENOSYS, EOPNOTSUPP].contains(code)
            case .link: isWithoutLinks(code)
            case .lockedRename: false
            }
        }
    }

    /// Renames the file or folder `name` to `newName` in `folder` (by default this one), on the same file system. Durable after ``sync()``
    /// of the target folder.
    ///
    /// This is the only way in which a file is published under a name that must be free. It works where a program's start has tried it
    /// with ``checkPublishing(of:remedy:)``. On some file systems a crash leaves the file under both names.
    /// - Throws: `EEXIST` if the name is taken.
    public func renameWithoutReplacing(
        _ name: String, in folder: Folder? = nil, to newName: String
    ) throws(PosixError) {
        let target = folder ?? self
        try check(nil, "rename", name)
        try target.check(nil, "rename to", newName)
        var code: CInt = 0
        for way in Way.allCases {
            code = fault?(way.step, path(of: name)) ?? move(name, to: target, newName, way)
            guard way.isUnknown(code) else { break }
        }
        guard code == 0 else { throw failure(code, "rename to \(target.path(of: newName))", name) }
    }

    /// - Returns: 0 or the errno.
    private func move(_ name: String, to target: Folder, _ newName: String, _ way: Way) -> CInt {
        let (from, to) = (descriptor.rawValue, target.descriptor.rawValue)
        switch way {
        case .exclusiveRename: return unsafe -caprig_rename_exclusive(from, name, to, newName)
        case .link:
            let result = unsafe caprig_link(from, name, to, newName)
            // The file is in place. What cannot be removed is what a crash would leave here.
            if result == 0 { _ = unsafe caprig_unlinkat(from, name, 0) }
            return -result
        case .lockedRename: return unsafe -caprig_rename_locked(from, name, to, newName)
        }
    }

    /// Gives the file `name` a second name in `folder`, on the same file system; where that knows no links, a copy of the same permissions
    /// gets the name. Durable after ``sync()`` of the target folder. A crash may leave a part `newName.tmp` of a copy.
    /// - Throws: `EEXIST` if the name is taken.
    public func linkOrCopy(_ name: String, in folder: Folder, to newName: String) throws(PosixError) {
        do throws(PosixError) {
            if let code = fault?(.link, path(of: name)) { throw failure(code, "link", name) }
            try link(name, in: folder, to: newName)
        } catch {
            guard isWithoutLinks(error.code) else { throw error }
            try copy(name, to: folder, as: newName)
        }
    }

    private func copy(_ name: String, to folder: Folder, as newName: String) throws(PosixError) {
        let temporary = newName + ".tmp"
        try folder.remove(temporary)
        do throws(PosixError) {
            let source = try open(name, for: .reading)
            let target = try folder.open(temporary, for: .creatingPrivate)
            var offset: Int64 = 0
            while true {
                let bytes = try source.read(at: offset, count: 1 << 20)
                guard !bytes.isEmpty else { break }
                try target.write(bytes)
                offset += Int64(bytes.count)
            }
            // A file system that keeps no permissions may refuse that.
            try? target.setPermissions(try source.status().permissions)
            try target.sync()
            try folder.renameWithoutReplacing(temporary, to: newName)
        } catch {
            try? folder.remove(temporary)
            throw error
        }
    }
}

/// Whether `link(2)` fails with this errno where the file system knows no links. `EMLINK`: the file has as many names as it may.
private func isWithoutLinks(_ code: CInt) -> Bool { [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) }

/// What a file system can do.
extension Folder {
    /// Tries, at the start of a program, whether files of this folder can be published: written, made durable, renamed with and without
    /// replacing another. Two files of a byte are used and removed. A disk that is full, read-only or broken passes, since whoever uses it
    /// reports that.
    /// - Parameters:
    ///   - contents: What is kept in the folder, such as `the library`.
    ///   - remedy: How to configure another folder, as the end of a sentence.
    public func checkPublishing(of contents: String, remedy: String) throws(UnsuitableFileSystem) {
        do throws(PosixError) {
            if let code = fault?(.tryPublishing, path) { throw failure(code, "publish files in", path) }
            try Folder(opening: path).tryPublishing()
        } catch {
            guard [EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EBADF, ENOLCK, EWOULDBLOCK].contains(error.code) else { return }
            throw UnsuitableFileSystem(path: path, contents: contents, remedy: remedy, cause: error)
        }
    }

    private func tryPublishing() throws(PosixError) {
        let (name, other) = (".try-\(UInt64.random(in: 0...UInt64.max))", ".tried-\(UInt64.random(in: 0...UInt64.max))")
        defer { for leftover in [name, other] { try? remove(leftover) } }
        try write([[0]], to: name)
        try renameWithoutReplacing(name, to: other)
        _ = try open(name, for: .creatingPrivate)
        try rename(name, to: other)
        try sync()
    }

    /// Whether the file system gives files other permissions than a program asks for, as FAT, exFAT and NTFS often do. Creates a file for a
    /// moment; false if it cannot.
    public func ignoresPermissions() -> Bool {
        guard let status = try? createUnnamed().status() else { return false }
        return status.permissions != 0o600
    }
}
