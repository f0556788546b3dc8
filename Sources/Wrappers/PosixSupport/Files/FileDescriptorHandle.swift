internal import Glibc

/// The one owner of a file descriptor, which it closes when it goes away.
///
/// Errors of `close(2)` are not reported: whoever needs the bytes to be durable calls `fsync` before.
public struct FileDescriptorHandle: ~Copyable, Sendable {
    /// The descriptor; valid while this value lives.
    public let rawValue: CInt

    /// Takes over `descriptor`, which nobody else may close.
    public init(owning descriptor: CInt) {
        rawValue = descriptor
    }

    deinit {
        _ = Glibc.close(rawValue)
    }
}
