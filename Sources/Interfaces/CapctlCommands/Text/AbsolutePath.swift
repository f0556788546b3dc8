internal import Foundation

/// Paths as people can use them from any folder.
enum AbsolutePath {
    /// `path` from the root, without `.` and `..`, with `~` for the home folder; links are left as they are.
    static func of(_ path: String) -> String {
        let path = URL(filePath: (path as NSString).expandingTildeInPath).standardizedFileURL.path(
            percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
