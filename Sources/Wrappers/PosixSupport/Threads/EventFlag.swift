internal import CPosix
internal import Glibc

/// A flag that any thread raises, and that a thread can wait for together with other descriptors (`eventfd(2)`).
public final class EventFlag: Sendable {
    private let handle: FileDescriptorHandle

    /// Readable while the flag is raised, for `poll(2)` with other descriptors. Valid during the lifetime of this object.
    public var descriptor: CInt { handle.rawValue }

    /// - Throws: `EMFILE`, `ENFILE` or `ENOMEM`.
    public init() throws(PosixError) {
        let result = caprig_eventfd()
        guard result >= 0 else { throw PosixError(code: -result, operation: "create", subject: "an event descriptor") }
        handle = FileDescriptorHandle(owning: result)
    }

    /// Raises the flag; raising a raised flag changes nothing. Never blocks.
    public func signal() {
        var one: UInt64 = 1
        // The only failure is EAGAIN at a count of 2^64 - 2, at which the flag is already raised.
        _ = unsafe caprig_write(handle.rawValue, &one, 8)
    }

    /// Lowers the flag.
    /// - Returns: Whether it was raised.
    @discardableResult
    public func clear() -> Bool {
        var count: UInt64 = 0
        return unsafe Glibc.read(handle.rawValue, &count, 8) == 8
    }

    /// Blocks the calling thread until the flag is raised; does not lower it.
    /// - Parameter timeoutMilliseconds: A negative value waits forever.
    /// - Returns: Whether the flag is raised.
    @discardableResult
    public func wait(timeoutMilliseconds: CInt = -1) -> Bool {
        var request = pollfd(fd: handle.rawValue, events: Int16(POLLIN), revents: 0)
        var result: CInt
        repeat {
            result = unsafe poll(&request, 1, timeoutMilliseconds)
        } while result < 0 && errno == EINTR
        return result > 0
    }
}
