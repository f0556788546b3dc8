internal import CZeroMQ
internal import Synchronization

/// The eventfd that ends the poll loop's sleep.
///
/// Signalling races with closing, and a closed descriptor's number may belong to someone else a moment later. So
/// signallers are counted, and closing waits for them; they stay for one write.
final class WakeSignal: Sendable {
    let descriptor: Int32
    private let signallers = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)

    init(name: String) throws(ZeroMQError) {
        descriptor = czmq_wake_open()
        guard descriptor >= 0 else { throw .last("open an eventfd for", name) }
    }

    /// Makes the descriptor readable; from any thread.
    func signal() {
        signallers.add(1, ordering: .sequentiallyConsistent)
        if !isClosed.load(ordering: .sequentiallyConsistent) { czmq_wake_signal(descriptor) }
        signallers.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Makes the descriptor unreadable again; only from the poll loop's thread.
    func drain() { czmq_wake_drain(descriptor) }

    /// Closes the descriptor once nobody writes to it any more.
    func close() {
        guard !isClosed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        while signallers.load(ordering: .sequentiallyConsistent) > 0 {}
        czmq_wake_close(descriptor)
    }

    deinit { close() }
}
