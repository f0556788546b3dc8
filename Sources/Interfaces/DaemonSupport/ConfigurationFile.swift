import Foundation
import Glibc

/// A configuration file of a daemon, which may be a pipe.
public struct ConfigurationFile: Sendable {
    /// The path as it was given, for messages.
    public let name: String
    public let text: String
    /// The absolute path of the file's folder, to which relative paths in it refer; nil for a pipe, which has none.
    public let folder: String?

    /// Reads a file.
    /// - Throws: ``UnreadableConfiguration``.
    public init(_ path: String) throws {
        if let kind = UnreadableConfiguration.unusableKind(path) {
            throw UnreadableConfiguration(path: path, reason: "it is a \(kind); give a YAML file")
        }
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw UnreadableConfiguration(path: path, reason: error.localizedDescription)
        }
        name = path
        folder =
            Self.isPipe(path)
            ? nil : URL(filePath: path).standardizedFileURL.deletingLastPathComponent().path(percentEncoded: false)
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
