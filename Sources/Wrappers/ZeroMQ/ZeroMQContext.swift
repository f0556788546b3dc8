internal import CZeroMQ
internal import PosixSupport

/// libzmq's context: its input/output threads and everything `inproc` endpoints are named in.
///
/// Use one per process, for its whole life: a libzmq 4.3.4 without the patch `keep-libsodium-open`
/// (``ZeroMQLibrary/patches``) can crash when several contexts use CURVE. Every socket keeps
/// its context alive. When the last reference goes, a short-lived thread ends the context, so releasing it never
/// blocks; messages that linger are still sent if the process lives long enough.
@safe public final class ZeroMQContext: Sendable {
    /// Guard: libzmq documents a context as safe to use from any thread; the pointer itself never changes.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// Makes a context.
    ///
    /// - Parameter ioThreads: Number of input/output threads; one carries about a gigabyte per second.
    public init(ioThreads: Int = 1) throws(ZeroMQError) {
        guard let pointer = unsafe zmq_ctx_new() else { throw .last("create a context") }
        unsafe self.pointer = unsafe pointer
        try set(ZMQ_IO_THREADS, Int32(clamping: ioThreads), named: "ioThreads")
        // Every socket of this library takes three of libzmq's: itself and the two ends of its monitor.
        try set(ZMQ_MAX_SOCKETS, Self.socketLimit, named: "maximum number of sockets")
    }

    /// Ends every socket of the context: pending receives return nil, later sends are refused as closed.
    ///
    /// Returns at once, from any thread. Sockets cannot be made afterwards.
    public func shutdown() {
        _ = unsafe zmq_ctx_shutdown(pointer)
    }

    private static let socketLimit: Int32 = 12_288

    private func set(_ option: Int32, _ value: Int32, named name: String) throws(ZeroMQError) {
        guard unsafe zmq_ctx_set(pointer, option, value) == 0 else { throw .last("set", name) }
    }

    deinit {
        // Ending a context waits for its threads, and the last reference may be dropped on one of them, by the owner of
        // a zero-copy part. So neither this thread nor the caller may wait.
        nonisolated(unsafe) let pointer = unsafe pointer  // Guard: only the closure below uses it.
        do {
            try NamedThread(name: "zmq-term", signals: .blocked) { unsafe _ = zmq_ctx_term(pointer) }.detach()
        } catch {
            // Without a thread the context stays behind, shut down: a leak is better than a deadlock.
            unsafe _ = zmq_ctx_shutdown(pointer)
        }
    }
}
