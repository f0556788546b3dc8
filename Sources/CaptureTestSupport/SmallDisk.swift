import Foundation

/// A file system of a few hundred kilobytes, so that a test can fill a real disk. Needs the right to mount.
public final class SmallDisk: Sendable {
    /// Whether this machine lets the test mount; tried once.
    public static let isAvailable = (try? SmallDisk()) != nil
    /// In CI a missing right is a failure, not a reason to skip.
    public static let isRequired = ProcessInfo.processInfo.environment["CI"] == "true"

    /// `mount` has refused.
    public struct CannotMount: Error {
        public var status: Int32
    }

    /// Where it is mounted.
    public let folder: TemporaryFolder
    public var path: String { folder.path }

    /// Mounts it.
    /// - Throws: ``CannotMount``.
    public init(kilobytes: Int = 512) throws {
        folder = try TemporaryFolder()
        let command = ["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path]
        let status = try ExternalTool.run(command).status
        guard status == 0 else { throw CannotMount(status: status) }
    }

    deinit {
        _ = try? ExternalTool.run("umount", folder.path)
    }
}
