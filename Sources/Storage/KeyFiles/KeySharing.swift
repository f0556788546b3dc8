public import PosixSupport

/// Whether the members of a group can read a file that is for them.
public enum KeySharing: Hashable, Sendable {
    /// The file is for its owner only.
    case ownerOnly
    /// The members of the group of this name can read it.
    case group(String)
    /// The file is for the group of this name, but only its owner can read it.
    case notShared(group: String, path: String, Reason)

    public enum Reason: Hashable, Sendable {
        /// The system has no group of that name.
        case noSuchGroup
        /// The process may not give the file to the group: it is not a member, or its service may not change groups.
        case refused(PosixError)
        /// File or folder existed before, with a narrower mode.
        case narrower
    }

    /// What a person should know and do, as a sentence; nil if nothing is amiss.
    public var notice: String? {
        guard case .notShared(let group, let path, let reason) = self else { return nil }
        let name = shellQuoted(group)
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let share =
            "chgrp \(name) \(shellQuoted(folder)) \(shellQuoted(path)) && chmod 0750 \(shellQuoted(folder)) "
            + "&& chmod 0640 \(shellQuoted(path))"
        let who = "only the owner of \(path) can read it"
        switch reason {
        case .noSuchGroup:
            return "\(who): this machine has no group '\(group)'; to share it, as root run: "
                + "groupadd --system \(name) && \(share)"
        case .refused(let error):
            return
                "\(who): this process may not give it to group '\(group)' (\(error.name)); to share it, as root run: "
                + share
        case .narrower:
            return "\(who): its mode or its folder's does not let group '\(group)' read it; to share it, as root run: "
                + share
        }
    }
}
