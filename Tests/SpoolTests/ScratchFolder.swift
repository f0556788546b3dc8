import Foundation

/// A fresh folder, removed with everything in it when the test lets go of it.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "caprig-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func names(_ inner: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(inner)").sorted()
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }
}
