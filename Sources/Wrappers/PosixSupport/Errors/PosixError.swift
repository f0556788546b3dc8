internal import CPosix
internal import Glibc

/// A failed system call: the operation, its subject, the reason, and what to do.
public struct PosixError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errno, such as `ENOSPC`.
    public var code: CInt
    /// The operation, as it reads after "cannot": `write`, `open for reading`.
    public var operation: String
    /// The path or other subject of the operation.
    public var subject: String

    public init(code: CInt, operation: String, subject: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
    }

    /// The symbol of the code, such as `ENOSPC`.
    public var name: String {
        guard let name = unsafe caprig_errno_name(code) else { return "errno \(code)" }
        return unsafe String(cString: name)
    }

    /// The system's text for the code, such as "No space left on device".
    public var reason: String {
        guard let text = unsafe caprig_errno_text(code) else { return "unknown error" }
        return unsafe String(cString: text)
    }

    /// Whether the cause is the disk, a quota or a size limit, so that freeing space helps.
    public var isOutOfSpace: Bool {
        code == ENOSPC || code == EDQUOT
    }

    public var description: String {
        advice.map { "\(sentence); \($0)" } ?? sentence
    }

    /// Returns the description. If the disk is full, it says of what: the bytes that are free, or that no inode is.
    /// - Parameter room: That of the disk; nil if it is unknown.
    public func description(on room: FileSystemRoom?) -> String {
        guard isOutOfSpace, let room else { return description }
        guard code == ENOSPC, case .noInode(let free, let needed)? = room.obstacle() else {
            return description + " (\(room.freeBytes) bytes free)"
        }
        return "\(sentence); that disk \(FileSystemRoom.Obstacle.noInode(free: free, needed: needed))"
    }

    private var sentence: String { "cannot \(operation) \(subject): \(reason) (\(name))" }

    /// What the user can do, if the code determines it.
    private var advice: String? {
        switch code {
        case ENOSPC: "free space on that disk, or configure a folder on a larger one"
        case EDQUOT: "the user's disk quota is used up: free space or raise the quota"
        case EACCES, EPERM: "give the user this program runs as the right to it, or run it as another user"
        case EROFS: "the file system is mounted read-only: remount it, or look in the kernel log for the reason"
        case EMFILE: "this process has too many files open: raise its limit (LimitNOFILE, ulimit -n)"
        case ENFILE: "the whole machine has too many files open: raise fs.file-max"
        case EIO: "the disk reports an error: look in the kernel log and check the disk"
        case ENOENT: "check the path"
        case ELOOP: "a symbolic link is not followed here: put the real folder or file in its place"
        case ENOTDIR: "a file exists where a folder is needed: move it away"
        case EFBIG: "the file system cannot hold a file of that size"
        default: nil
        }
    }
}
