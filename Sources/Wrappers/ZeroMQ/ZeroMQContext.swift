internal import CZeroMQ
internal import Glibc
internal import PosixSupport

/// A libzmq context: its I/O threads and the namespace of its `inproc` endpoints.
///
/// Use one per process, for the lifetime of the process: libzmq 4.3.4 without the patch `keep-libsodium-open` (``ZeroMQLibrary/patches``)
/// can crash if several contexts use CURVE. Every socket keeps its context alive. When the last reference is released, a short-lived thread
/// terminates the context, so the release never blocks. Lingering messages are still sent if the process runs long enough.
@safe public final class ZeroMQContext: Sendable {
    /// Guard: libzmq documents a context as thread-safe, and the pointer never changes.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// Creates a context.
    ///
    /// - Parameter ioThreads: The number of I/O threads. One transfers about a gigabyte per second.
    public init(ioThreads: Int = 1) throws(ZeroMQError) {
        guard let pointer = unsafe zmq_ctx_new() else { throw .last("create a context") }
        unsafe self.pointer = unsafe pointer
        try set(ZMQ_IO_THREADS, Int32(clamping: ioThreads), named: "ioThreads")
        // Every socket of this library uses three libzmq sockets: itself and the two ends of its monitor.
        try set(ZMQ_MAX_SOCKETS, Self.socketLimit, named: "maximum number of sockets")
    }

    /// Shuts down every socket of the context: pending receives return nil, later sends are refused as closed.
    ///
    /// Returns at once, from any thread. No sockets can be created afterwards.
    public func shutdown() {
        _ = unsafe zmq_ctx_shutdown(pointer)
    }

    private static let socketLimit: Int32 = 12_288

    private func set(_ option: Int32, _ value: Int32, named name: String) throws(ZeroMQError) {
        guard unsafe zmq_ctx_set(pointer, option, value) == 0 else { throw .last("set", name) }
    }

    deinit {
        // zmq_ctx_term waits for the I/O threads, and the owner of a zero-copy part may drop the last reference on one of them. So neither
        // this thread nor the caller may wait.
        nonisolated(unsafe) let pointer = unsafe pointer  // Guard: only the closure below uses it.
        do {
            try NamedThread(name: "zmq-term", signals: .blocked) { unsafe _ = zmq_ctx_term(pointer) }.detach()
        } catch {
            // Without a thread the context is shut down and leaked: a leak is better than a deadlock.
            unsafe _ = zmq_ctx_shutdown(pointer)
        }
    }
}

/// A build of libzmq.
public struct ZeroMQLibrary: Hashable, Sendable {
    /// Its version, such as `4.3.4`.
    public let version: String
    /// The names of the patches in a build of `tools/libzmq`; empty for other builds.
    public let patches: [String]

    /// Whether the library survives a peer that disconnects while its queue is full and contains a heartbeat. Other builds abort the
    /// process.
    public var isHardened: Bool { patches.contains("no-output-after-io-error") }

    /// The library that this process is linked with, as reported by the library at run time.
    public static let linked = ZeroMQLibrary(version: linkedVersion(), patches: linkedPatches())

    init(version: String, patches: [String]) {
        self.version = version
        self.patches = patches
    }

    private static func linkedVersion() -> String {
        var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
        unsafe zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    private static func linkedPatches() -> [String] {
        guard let names = unsafe czmq_library_mended() else { return [] }
        return unsafe String(cString: names).split(separator: ",").map { String($0.drop { $0 == " " }) }
    }
}
