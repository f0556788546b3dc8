internal import CPosix
internal import Glibc

/// The exclusive right to a folder, held until the last reference goes away or the process ends: `flock(2)` on a file
/// in it that names the holder. The file stays behind and means nothing by itself.
public final class FolderLock: Sendable {
    private let descriptor: FileDescriptorHandle

    /// Takes the lock without waiting.
    /// - Throws: ``FolderInUse`` where another holds it, ``PosixError`` for anything else.
    public init(_ folder: Folder, name: String = ".lock") throws {
        try folder.check(.open, "open for writing", name)
        let result = unsafe caprig_openat(folder.descriptor.rawValue, name, O_RDWR | O_CREAT | O_NOFOLLOW, 0o644)
        guard result >= 0 else { throw folder.failure(-result, "open for writing", name) }
        let descriptor = FileDescriptorHandle(owning: result)
        let locked = caprig_try_lock(descriptor.rawValue)
        guard locked == 0 else {
            guard locked == -EWOULDBLOCK else { throw folder.failure(-locked, "lock", name) }
            throw FolderInUse(path: folder.path, processID: Self.holder(in: folder, name))
        }
        _ = caprig_ftruncate(descriptor.rawValue, 0)
        let text = Array("\(getpid())\n".utf8)
        // For people only: a full disk must not keep the lock from being taken.
        _ = unsafe text.withUnsafeBytes { unsafe caprig_write(descriptor.rawValue, $0.baseAddress, $0.count) }
        self.descriptor = descriptor
    }

    private static func holder(in folder: Folder, _ name: String) -> Int32? {
        guard let bytes = try? folder.read(name, limit: 64) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

/// A folder that another process works in.
public struct FolderInUse: Error, Hashable, CustomStringConvertible {
    public var path: String
    /// The process that holds it, as it wrote itself; nil where it could not.
    public var processID: Int32?

    public var description: String {
        let holder = processID.map { "process \($0)" } ?? "another process"
        return "\(path) is in use by \(holder); stop that one, or configure another folder"
    }
}
