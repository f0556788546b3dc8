internal import CPosix
internal import Glibc

/// A separate thread for work that blocks, named so that `top -H` and debuggers show its purpose.
///
/// Call ``join()`` or ``detach()`` once. Otherwise the thread's stack is kept until the process ends.
public final class NamedThread: Sendable {
    // Written once, before any other thread can see this object; pthread_t is a plain number on Linux.
    private let thread: pthread_t

    /// The signals that the kernel may deliver to a thread.
    public enum Signals: Sendable {
        /// Those of the thread that starts it. Programs that it runs inherit them.
        case inherited
        /// None, so that the program's other threads receive them.
        case blocked
    }

    /// Starts `body` on a separate thread.
    /// - Parameter name: Truncated to 15 bytes, the kernel's limit.
    /// - Throws: `EAGAIN` if the limit of threads is reached.
    public init(name: String, signals: Signals = .inherited, _ body: @escaping @Sendable () -> Void) throws(PosixError)
    {
        let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var thread = pthread_t()
        // A thread inherits the signal mask of the thread that starts it.
        var mask = sigset_t()
        if signals == .blocked { Self.blockSignals(keeping: &mask) }
        defer { if signals == .blocked { unsafe pthread_sigmask(SIG_SETMASK, &mask, nil) } }
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
                start.run()
                return nil
            }, unsafe start.toOpaque())
        guard result == 0 else {
            unsafe start.release()
            throw PosixError(code: result, operation: "start", subject: "thread \(name)")
        }
        self.thread = thread
    }

    private static func blockSignals(keeping mask: inout sigset_t) {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &mask)
    }

    /// Whether the caller runs on this thread.
    public var isCurrent: Bool {
        pthread_equal(pthread_self(), thread) != 0
    }

    /// Blocks until the thread's body has returned; at most once, and not from the thread itself.
    public func join() {
        _ = pthread_join(thread, nil)
    }

    /// Detaches the thread, so that it ends by itself; at most once, instead of ``join()``.
    public func detach() {
        _ = pthread_detach(thread)
    }
}

/// The arguments of a starting thread.
private final class ThreadStart: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        var bytes = Array(name.utf8.prefix(15)).map { CChar(bitPattern: $0) }
        bytes.append(0)
        unsafe caprig_name_current_thread(bytes)
        body()
    }
}
