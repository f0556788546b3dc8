import Foundation
import Glibc

/// The user of a service, for commands that root runs for it.
struct ServiceUser {
    /// The user of the unit `capagentd.service`.
    static let ofAgents = ServiceUser(name: "caprig")

    let name: String

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
