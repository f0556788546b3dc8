internal import Foundation

/// A fresh folder of this process's own for what nobody needs afterwards.
struct ScratchFolder: Sendable {
    let path: String

    /// - Throws: Where the system's folder for temporary files takes no folder.
    init(prefix: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(prefix)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = folder.path(percentEncoded: false)
    }

    func file(_ name: String) -> String {
        path + "/" + name
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
