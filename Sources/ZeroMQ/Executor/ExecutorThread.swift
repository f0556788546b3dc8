internal import CZeroMQ
internal import Glibc

/// A POSIX thread with a name that runs one closure, with all signals blocked.
struct ExecutorThread: Sendable {
    private let identifier: pthread_t

    /// Starts a thread that someone joins.
    init(name: String, body: @escaping @Sendable () -> Void) throws(ZeroMQError) {
        identifier = try Self.start(name: name, detached: false, body: body)
    }

    /// Starts a thread that nobody waits for.
    static func detach(name: String, body: @escaping @Sendable () -> Void) throws(ZeroMQError) {
        _ = try start(name: name, detached: true, body: body)
    }

    /// Whether the caller runs on this thread.
    var isCurrent: Bool { pthread_equal(pthread_self(), identifier) != 0 }

    /// Waits for the end; call it once at most, and not from the thread itself.
    func join() { _ = pthread_join(identifier, nil) }

    /// Gives up waiting, instead of `join()`.
    func letGo() { _ = pthread_detach(identifier) }

    private static func start(
        name: String, detached: Bool, body: @escaping @Sendable () -> Void
    ) throws(ZeroMQError) -> pthread_t {
        var identifier = pthread_t()
        let box = unsafe Unmanaged.passRetained(ThreadBody(body))
        let code = unsafe czmq_thread_start(&identifier, name, detached, threadEntry, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            throw ZeroMQError(errorNumber: code, operation: "start thread", endpoint: name)
        }
        return identifier
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func threadEntry(_ argument: UnsafeMutableRawPointer?) {
    guard let argument = unsafe argument else { return }
    let body = unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    body.run()
}
