internal import CPosix
internal import Glibc

/// The exclusive right to a folder, held until the last reference is released or the process ends: `flock(2)` on a file in it that names
/// the holder. The file remains and has no meaning by itself.
public final class FolderLock: Sendable {
    private let descriptor: FileDescriptorHandle

    /// Takes the lock without waiting.
    /// - Throws: ``FolderInUse`` if another process holds it, ``PosixError`` for anything else.
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
        // For people only: a full disk must not prevent locking.
        _ = unsafe text.withUnsafeBytes { unsafe caprig_write(descriptor.rawValue, $0.baseAddress, $0.count) }
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone keeps the lock while another thread starts a process, which has a copy of every descriptor for a moment.
        caprig_unlock(descriptor.rawValue)
    }

    private static func holder(in folder: Folder, _ name: String) -> Int32? {
        guard let bytes = try? folder.read(name, limit: 64) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
