internal import Foundation

/// Absolute paths, which are valid in any folder.
enum AbsolutePath {
    /// `path` from the root, without `.` and `..`, with `~` expanded to the home folder; links are not resolved.
    static func of(_ path: String) -> String {
        let path = URL(filePath: (path as NSString).expandingTildeInPath).standardizedFileURL.path(
            percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
