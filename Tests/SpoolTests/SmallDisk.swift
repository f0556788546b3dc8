import Foundation

/// A file system of a few hundred kilobytes, so that a test can fill a real disk. Needs the right to mount.
final class SmallDisk: Sendable {
    /// Whether this machine lets the test mount; tried once.
    static let isAvailable = (try? SmallDisk()) != nil
    /// In CI a missing right is a failure, not a reason to skip.
    static let isRequired = ProcessInfo.processInfo.environment["CI"] == "true"

    struct CannotMount: Error {
        var status: Int32
    }

    let folder: ScratchFolder
    var path: String { folder.path }

    init(kilobytes: Int = 512) throws {
        folder = try ScratchFolder()
        let status = try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path)
        guard status == 0 else { throw CannotMount(status: status) }
    }

    deinit {
        _ = try? Self.run("umount", folder.path)
    }

    private static func run(_ command: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
