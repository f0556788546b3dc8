internal import Glibc

/// A value that several threads share under a POSIX mutex.
///
/// POSIX rather than `Synchronization.Mutex`, because ThreadSanitizer sees this one's ordering.
///
/// Guard for `@unchecked Sendable`: `value` is touched only while the mutex is held; the pointer never changes.
@safe final class Locked<Value: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    init(_ value: Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    func withLock<R>(_ body: (inout Value) -> R) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }
}
