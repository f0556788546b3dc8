internal import CPosix
internal import Glibc

/// A value that several threads share, protected by a POSIX mutex.
///
/// For threads and synchronous callbacks; async code uses actors. It is not `Synchronization.Mutex`, whose ordering ThreadSanitizer does
/// not see on Linux. Never hold it across a call that blocks.
///
/// Guard for `@unchecked Sendable`: `value` is accessed only while the mutex is held, and the pointer never changes.
@safe public final class Locked<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    public init(_ value: Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Calls `body` with exclusive access to the value. Must not be nested on the same object.
    public func withLock<Result, Failure>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
