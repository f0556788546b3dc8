import Foundation
public import FoundationEssentials

/// A fresh folder that is removed, with all it holds, when the last reference to it goes.
public final class TemporaryFolder: Sendable {
    /// The folder; absolute.
    public let url: URL

    /// - Throws: What the file system says when the folder cannot be made.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "caprig-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The folder's absolute path.
    public var path: String { url.path(percentEncoded: false) }

    /// Writes a file into the folder.
    /// - Returns: Its path.
    @discardableResult
    public func write(_ bytes: [UInt8], as name: String) throws -> String {
        let file = url.appending(path: name)
        try Data(bytes).write(to: file)
        return file.path(percentEncoded: false)
    }
}
