internal import Glibc
public import PosixSupport

/// A folder of files that only its owner, or the members of one group, can read.
///
/// Whatever is read from it was checked on the opened file, so that nobody can exchange the file between the check and the reading.
/// Symbolic links in the folder's own path are followed, since the folder behind them is checked. Every call blocks on the disk and asks the
/// system's databases of users.
public struct PrivateFolder: Sendable {
    let folder: Folder
    let rule: PrivacyRule

    /// Opens a folder and checks its owner and mode.
    /// - Parameter operation: What the folder is opened for, such as `read the key`, for messages.
    /// - Returns: nil if it does not exist.
    public static func open(
        _ path: String, for audience: Audience, to operation: String, fault: FileFault? = nil
    ) throws(KeyFileError) -> PrivateFolder? {
        let rule = PrivacyRule(for: audience)
        guard let folder = try rule.openIfPresent(path, operation, fault) else { return nil }
        let status = try rule.attempt(operation, path) { () throws(PosixError) in try folder.status() }
        try check(status, rule, in: folder, operation, path)
        return PrivateFolder(folder: folder, rule: rule)
    }

    /// Checks owner and mode of the folder or of a file in it. If they are not private and cannot be made so, the error says that.
    private static func check(
        _ status: FileStatus, _ rule: PrivacyRule, in folder: Folder, _ operation: String, _ path: String
    ) throws(KeyFileError) {
        do {
            try rule.check(status, operation, path)
        } catch {
            let isOfPermissions = [.looseMode, .wrongGroup, .foreignOwner].contains(error.code)
            throw isOfPermissions && folder.ignoresPermissions() ? .permissionsIgnored(error) : error
        }
    }

    /// Opens a folder and checks its owner and mode. Creates it durably if it is missing, and its parents too. A folder of this process's
    /// user is shared with the audience's group, if that is possible.
    public static func make(
        _ path: String, for audience: Audience, to operation: String, fault: FileFault? = nil
    ) throws(KeyFileError) -> PrivateFolder {
        let rule = PrivacyRule(for: audience)
        let (parent, name) = split(path)
        try rule.attempt(operation, path) { () throws(PosixError) in
            if (try? Folder(opening: path, fault: fault)) != nil {
                // Its creator may have been stopped before its name was durable. A service may be unable to open the folder above.
                try (try? Folder(opening: parent, fault: fault))?.sync()
            } else if let name {
                let permissions: UInt32 = audience == .owner ? 0o700 : 0o755
                let above = try Folder.make(parent, permissions: permissions, fault: fault)
                _ = try above.makeDurableFolder(name, permissions: 0o700)
            }
        }
        guard let made = try open(path, for: audience, to: operation, fault: fault) else {
            throw KeyFileError(.missing, operation, path, "the folder was removed", remedy: "repeat the command")
        }
        made.share()
        return made
    }

    /// Opens the folder of a service's credentials, which the service manager protects in its own way: modes are not checked.
    /// - Returns: nil if it does not exist.
    static func ofCredentials(
        _ path: String, to operation: String, fault: FileFault?
    ) throws(KeyFileError) -> PrivateFolder? {
        var rule = PrivacyRule(for: .owner)
        rule.checksModes = false
        guard let folder = try rule.openIfPresent(path, operation, fault) else { return nil }
        return PrivateFolder(folder: folder, rule: rule)
    }

    /// Returns the path of `name` in this folder, for messages.
    public func path(of name: String) -> String { folder.path(of: name) }

    /// Reads a file after checking its kind, owner, mode and length.
    /// - Returns: nil if it does not exist.
    public func read(
        _ name: String, limit: Int, to operation: String
    ) throws(KeyFileError) -> (bytes: [UInt8], status: FileStatus)? {
        let path = path(of: name)
        guard let file = try openIfPresent(name, operation) else { return nil }
        let status = try rule.attempt(operation, path) { () throws(PosixError) in try file.status() }
        guard status.kind == .file else { throw .notAFile(operation, path) }
        try Self.check(status, rule, in: folder, operation, path)
        guard status.byteCount <= Int64(limit) else { throw .tooLarge(status.byteCount, limit, operation, path) }
        let bytes = try rule.attempt(operation, path) { () throws(PosixError) in try file.read(at: 0, count: limit) }
        return (bytes, status)
    }

    /// Takes the exclusive right to change the file `name`, until the lock is released.
    /// - Throws: ``KeyFileError/Code/inUse`` if another process has it.
    public func lock(_ name: String, to operation: String) throws(KeyFileError) -> FolderLock {
        do {
            return try FolderLock(folder, name: ".\(name).lock")
        } catch let error as PosixError {
            throw rule.translated(error, operation, path(of: name))
        } catch {
            let holder = (error as? FolderInUse)?.processID.map { "process \($0)" } ?? "another process"
            throw KeyFileError(
                .inUse, operation, path(of: name), "\(holder) is changing it", remedy: "repeat the command")
        }
    }

    private func openIfPresent(_ name: String, _ operation: String) throws(KeyFileError) -> OpenFile? {
        do {
            return try folder.open(name, for: .reading)
        } catch {
            if error.code == ENOENT { return nil }
            throw rule.translated(error, operation, path(of: name))
        }
    }

    /// Gives a folder of this user to the audience's group. A failure shows in ``KeySharing`` of what is created in it.
    private func share() {
        guard let group = rule.group, let status = try? folder.status(), status.owner == rule.user,
            !rule.isOpenToGroup(status)
        else { return }
        do {
            if status.group != group { try folder.setGroup(group) }
            try folder.setPermissions(PrivacyRule.shared(.folder))
        } catch {}
    }

    /// Returns the path of the folder above, and the last name of a path.
    private static func split(_ path: String) -> (parent: String, name: String?) {
        let names = path.split(separator: "/")
        guard let name = names.last else { return (path, nil) }
        let above = names.dropLast().joined(separator: "/")
        if path.hasPrefix("/") { return ("/" + above, String(name)) }
        return (above.isEmpty ? "." : above, String(name))
    }
}

extension PrivacyRule {
    /// Opens the folder at `path`; nil if it does not exist.
    fileprivate func openIfPresent(
        _ path: String, _ operation: String, _ fault: FileFault?
    ) throws(KeyFileError) -> Folder? {
        do {
            return try Folder(opening: path, fault: fault)
        } catch {
            if error.code == ENOENT { return nil }
            throw translated(error, operation, path)
        }
    }
}
