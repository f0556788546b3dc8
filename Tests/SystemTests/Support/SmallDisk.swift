import Foundation

/// A file system of its own of a few megabytes, that a test can fill and free again; needs root.
final class SmallDisk: Sendable {
    let path: String
    private var filler: String { path + "/filler" }

    init(_ path: String, mebibytes: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else {
            throw SystemTestError("no tmpfs can be mounted at \(path): errno \(errno)")
        }
    }

    deinit {
        _ = unsafe umount2(path, Int32(MNT_DETACH))
    }

    /// Fills the disk, but for so many bytes.
    func fill(leaving rest: Int) throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
        guard let free = (attributes[.systemFreeSize] as? NSNumber)?.intValue, free > rest else {
            throw SystemTestError("\(path) has no \(rest) bytes free")
        }
        try Data(count: free - rest).write(to: URL(filePath: filler))
    }

    func free() throws {
        try FileManager.default.removeItem(atPath: filler)
    }
}
