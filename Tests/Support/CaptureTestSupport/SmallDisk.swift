import Foundation

/// A file system of its own, small enough that a test can fill a real disk. Needs the right to mount.
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

    /// Fills it, but for so many bytes, by a file of this name.
    public func fill(leaving rest: Int, as name: String = "filler") throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
        let free = (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        try Data(count: max(0, free - rest)).write(to: URL(filePath: "\(path)/\(name)"))
    }

    /// Gives back what ``fill(leaving:as:)`` has taken under its own name.
    public func free() throws {
        try FileManager.default.removeItem(atPath: path + "/filler")
    }

    deinit {
        _ = try? ExternalTool.run("umount", folder.path)
    }
}
