import Foundation
public import FoundationEssentials
import Synchronization

/// A fresh folder that is removed, with all it holds, when the last reference to it goes.
public final class TemporaryFolder: Sendable {
    /// The folder; absolute.
    public let url: URL
    /// Names that tests have written with ``write(_:as:)``.
    private let written = Mutex<Set<String>>([])

    /// - Throws: What the file system says when the folder cannot be made.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "caprig-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        KeptManifests.keep(from: url, butFor: written.withLock { $0 })
        try? FileManager.default.removeItem(at: url)
    }

    /// Calls `body` with a fresh folder, which is removed when it returns.
    public static func use<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { try body(folder.url) }
    }

    /// The folder's absolute path.
    public var path: String { url.path(percentEncoded: false) }

    /// Writes a file into the folder.
    /// - Returns: Its path.
    @discardableResult
    public func write(_ bytes: [UInt8], as name: String) throws -> String {
        let file = url.appending(path: name)
        _ = written.withLock { $0.insert(name) }
        try Data(bytes).write(to: file)
        return file.path(percentEncoded: false)
    }

    /// Writes a file into the folder.
    public func write(_ text: String, to name: String) throws {
        try write(Array(text.utf8), as: name)
    }

    /// The bytes of a file in the folder.
    public func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url.appending(path: name)))
    }

    /// What the folder, or one inside it, holds, in order.
    public func names(_ inner: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(inner)").sorted()
    }
}
