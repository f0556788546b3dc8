internal import PosixSupport

/// Who may read a private file besides its owner and root.
public enum Audience: Hashable, Sendable {
    /// Nobody: files have mode 0600 or less, their folder 0700 or less.
    case owner
    /// The members of the group of this name: files have mode 0640 or less, their folder 0750 or less. If the group does not exist, as
    /// ``owner``.
    case group(String)

    /// The group's name, if there is one.
    public var groupName: String? {
        if case .group(let name) = self { name } else { nil }
    }
}

/// Decides from owner, group and mode whether a file or folder is private enough.
///
/// | owner of the file | accepted |
/// |---|---|
/// | root, or the user of this process | yes |
/// | another user, the file has the audience's group | yes: only root and members of the group can give a file that group |
/// | another user | no |
///
/// | mode, beyond the owner's bits | accepted |
/// |---|---|
/// | none | yes |
/// | the group may read (a folder: also enter), and the group is the audience's | yes |
/// | anything else | no |
struct PrivacyRule: Hashable, Sendable {
    var audience: Audience
    /// The number of the audience's group; nil if there is none.
    var group: UInt32?
    /// The user of this process.
    var user: UInt32
    /// Whether modes matter. They do not where a service manager protects the files.
    var checksModes = true

    init(audience: Audience, group: UInt32?, user: UInt32) {
        self.audience = audience
        self.group = group
        self.user = user
    }

    /// The rule for this process. Asks the system's databases of users.
    init(for audience: Audience) {
        self.init(
            audience: audience, group: audience.groupName.flatMap(Accounts.group(named:)), user: Accounts.currentUser)
    }

    /// The permissions that a file or folder of this group may have.
    func limit(for status: FileStatus) -> UInt32 {
        let isFolder = status.kind == .folder
        return isShared(status) ? (isFolder ? 0o750 : 0o640) : (isFolder ? 0o700 : 0o600)
    }

    /// The permissions that are given to what is created for the audience's group.
    static func shared(_ kind: FolderEntry.Kind) -> UInt32 { kind == .folder ? 0o750 : 0o640 }

    /// Whether the file or folder has the audience's group.
    func isShared(_ status: FileStatus) -> Bool { group != nil && status.group == group }

    /// Whether the members of the audience's group can use the file or folder.
    func isOpenToGroup(_ status: FileStatus) -> Bool {
        let needed: UInt32 = status.kind == .folder ? 0o050 : 0o040
        return isShared(status) && status.permissions & needed == needed
    }

    /// - Throws: ``KeyFileError/Code/foreignOwner``, ``KeyFileError/Code/wrongGroup``, ``KeyFileError/Code/looseMode``.
    func check(_ status: FileStatus, _ operation: String, _ path: String) throws(KeyFileError) {
        guard status.owner == user || status.owner == 0 || isShared(status) else {
            throw foreignOwner(status, operation, path)
        }
        guard checksModes else { return }
        let limit = limit(for: status)
        let excess = status.permissions & 0o777 & ~limit
        guard excess != 0 else { return }
        if let name = audience.groupName, group != nil, !isShared(status), fitsGroup(status) {
            throw wrongGroup(status, name, operation, path)
        }
        throw looseMode(status, limit, operation, path)
    }

    /// Whether the mode would do if the group were the audience's.
    private func fitsGroup(_ status: FileStatus) -> Bool {
        status.permissions & 0o777 & ~Self.shared(status.kind) == 0
    }

    private func foreignOwner(_ status: FileStatus, _ operation: String, _ path: String) -> KeyFileError {
        let (owner, own) = (Accounts.name(ofUser: status.owner), Accounts.name(ofUser: user))
        let it = status.kind == .folder ? "folder" : "file"
        return KeyFileError(
            .foreignOwner, operation, path,
            "the \(it)'s owner is '\(owner)', but this program runs as '\(own)', and '\(owner)' can read and replace it",
            remedy: "run the program as '\(owner)', remove the \(it), or if you trust its content, as root run",
            command: "chown \(shellQuoted(own)) \(shellQuoted(path))")
    }

    private func wrongGroup(
        _ status: FileStatus, _ name: String, _ operation: String, _ path: String
    ) -> KeyFileError {
        KeyFileError(
            .wrongGroup, operation, path,
            "the members of group '\(Accounts.name(ofGroup: status.group))' can read it (mode \(octal(status.permissions))), "
                + "but it is for group '\(name)'",
            remedy: "as its owner or root run", command: "chgrp \(shellQuoted(name)) \(shellQuoted(path))")
    }

    private func looseMode(
        _ status: FileStatus, _ limit: UInt32, _ operation: String, _ path: String
    ) -> KeyFileError {
        KeyFileError(
            .looseMode, operation, path,
            "its mode \(octal(status.permissions)) lets other users use it, at most \(octal(limit)) is allowed",
            remedy: "as its owner or root run",
            command: "chmod \(octal(status.permissions & limit)) \(shellQuoted(path))")
    }
}

/// A mode as `chmod` reads it: `0640`.
func octal(_ permissions: UInt32) -> String {
    let text = String(permissions, radix: 8)
    return String(repeating: "0", count: max(0, 4 - text.utf8.count)) + text
}
