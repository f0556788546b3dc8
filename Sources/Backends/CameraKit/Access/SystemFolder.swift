import FoundationEssentials

/// Reads the small text files and links of sysfs.
package enum SystemFolder {
    /// The names in a folder; none where it cannot be read.
    package static func entries(of path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// The text of a file without white space around it; nil where there is none.
    package static func text(of path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        let trimmed = text.drop(while: \.isWhitespace)
        let end = trimmed.lastIndex { !$0.isWhitespace }
        return end.map { String(trimmed[...$0]) }
    }

    /// The path without links; nil where nothing is there.
    package static func resolved(_ path: String) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return URL(filePath: path).resolvingSymlinksInPath().path
    }
}
