internal import Glibc
internal import PosixSupport

extension PrivateFolder {
    /// What happens to a file that already has the name.
    public enum Placement: Hashable, Sendable {
        /// It stays, and nothing is published.
        case creating
        /// It is replaced in one step.
        case replacing
    }

    /// Puts a file in place in one step and makes it durable. After a crash the name has the complete old content, or none, or the complete
    /// new content. A crash may leave a file `.NAME.TAG.new`, which the next call removes.
    /// - Parameter tag: Differs from the tag of any other process that publishes under the same name at the same time.
    /// - Returns: nil if another process was faster: the name is taken, or the unfinished file was taken for a leftover. Nothing is left then.
    public func publish(
        _ bytes: [UInt8], as name: String, tag: String, _ placement: Placement, to operation: String
    ) throws(KeyFileError) -> KeySharing? {
        removeLeftovers(of: name)
        do {
            let sharing = try place(bytes, as: name, tag: tag, placement)
            try folder.sync()
            return sharing
        } catch {
            let isOvertaken = error.code == EEXIST || error.code == ENOENT
            if isOvertaken { return nil }
            throw rule.translated(error, operation, path(of: name))
        }
    }

    /// Removes what crashes have left of files that were to get this name. Files that a process is still writing stay.
    func removeLeftovers(of name: String) {
        guard let names = try? folder.names() else { return }
        for leftover in names where leftover.hasPrefix(".\(name).") && leftover.hasSuffix(Self.temporarySuffix) {
            let file = try? folder.open(leftover, for: .reading)
            // Who writes a file holds its lock. What cannot be opened, such as a link, is not an unfinished file.
            if (try? file?.tryLock()) == false { continue }
            try? folder.remove(leftover)
            _ = file
        }
    }

    /// Returns who can read a file of this folder.
    func sharing(of status: FileStatus, _ name: String) -> KeySharing {
        guard let group = rule.audience.groupName else { return .ownerOnly }
        func notShared(_ reason: KeySharing.Reason) -> KeySharing {
            .notShared(group: group, path: path(of: name), reason)
        }
        guard rule.group != nil else { return notShared(.noSuchGroup) }
        guard rule.isOpenToGroup(status), let above = try? folder.status(), rule.isOpenToGroup(above) else {
            return notShared(.narrower)
        }
        return .group(group)
    }

    private func place(
        _ bytes: [UInt8], as name: String, tag: String, _ placement: Placement
    ) throws(PosixError) -> KeySharing {
        let temporary = ".\(name).\(tag)\(Self.temporarySuffix)"
        let file = try folder.open(temporary, for: .creatingPrivate)
        do {
            // Keeps other processes from removing the file as a leftover. Without the lock they may, and this process begins again.
            _ = try file.tryLock()
            // Whatever the process's file mode creation mask leaves.
            try file.setPermissions(0o600)
            try file.write(bytes)
            let refusal = share(file)
            try file.sync()
            switch placement {
            case .creating: try folder.renameWithoutReplacing(temporary, to: name)
            case .replacing: try folder.rename(temporary, to: name)
            }
            // Uses the file after the rename, so that the lock is held until then.
            let sharing = sharing(of: try file.status(), name)
            guard let refusal, case .notShared(let group, let path, .narrower) = sharing else { return sharing }
            return .notShared(group: group, path: path, .refused(refusal))
        } catch {
            try? folder.remove(temporary)
            throw error
        }
    }

    /// Gives a file of this user to the audience's group.
    /// - Returns: Why the system refuses that.
    private func share(_ file: OpenFile) -> PosixError? {
        guard let group = rule.group else { return nil }
        do {
            // The group may already be that of the folder, for a process that may not give files to it.
            if try file.status().group != group { try file.setGroup(group) }
            try file.setPermissions(PrivacyRule.shared(.file))
            return nil
        } catch {
            return error
        }
    }

    private static let temporarySuffix = ".new"
}
