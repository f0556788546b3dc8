import Foundation
import Glibc
import PosixSupport

/// The user of a service, for commands that root runs for it.
struct ServiceUser {
    /// The user of the unit `capagentd.service`.
    static let ofAgents = ServiceUser(name: "caprig")

    let name: String

    /// Gives this process the rights of the user for the rest of its life, if it is root's and the user exists: those that the running
    /// service has, else the user's own groups and those that its unit adds.
    /// - Throws: ``JoinFailure`` if the system refuses.
    func become(orThatOf running: RunningProcess?) throws(JoinFailure) {
        guard geteuid() == 0, let user = unsafe getpwnam(name) else { return }
        let (id, group) = unsafe (user.pointee.pw_uid, user.pointee.pw_gid)
        let groups = running?.groups ?? (ownGroups(group) + Self.unitGroups.compactMap(Accounts.group))
        guard unsafe setgroups(groups.count, groups) == 0, setgid(group) == 0, setuid(id) == 0 else {
            throw JoinFailure("this process cannot become user '\(name)': errno \(errno)")
        }
    }

    /// `SupplementaryGroups=` of the unit.
    private static let unitGroups = ["video", "audio"]

    /// The groups that the system's database has for the user.
    private func ownGroups(_ group: gid_t) -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: 1024)
        var count = CInt(groups.count)
        guard unsafe getgrouplist(name, group, &groups, &count) >= 0 else { return [] }
        return Array(groups[..<Int(count)])
    }

    /// Runs `body` with the user's rights if this process is root's and the user exists; otherwise with those of this
    /// process. What `body` creates belongs to the user then.
    /// - Parameter folders: Folders that `body` works in, each after those above it. Those that are missing are made first, the
    ///   last one for the user alone.
    func owning<Result>(_ folders: [String], _ body: () async throws -> Result) async throws -> Result {
        guard geteuid() == 0, let user = unsafe getpwnam(name) else { return try await body() }
        let (id, group) = unsafe (user.pointee.pw_uid, user.pointee.pw_gid)
        for folder in folders where !FileManager.default.fileExists(atPath: folder) {
            // The folders above belong to root, and the user has to be able to enter them.
            let above = URL(filePath: folder).standardizedFileURL.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: folder == folders.last ? 0o700 : 0o750])
            guard unsafe chown(folder, id, group) == 0 else {
                throw JoinFailure("\(folder) cannot be given to user '\(name)': errno \(errno)")
            }
        }
        guard setegid(group) == 0, seteuid(id) == 0 else {
            throw JoinFailure("this process cannot act as user '\(name)': errno \(errno)")
        }
        defer {
            _ = seteuid(0)
            _ = setegid(0)
        }
        return try await body()
    }
}
