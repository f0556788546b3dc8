import PosixSupport

/// Where ended leases leave the numbers of their buffers, for the camera's thread to queue again.
///
/// Leases end on any thread, and the queue belongs to the camera's thread alone; so nothing is queued after the device
/// has stopped, whoever still holds a lease then.
final class BufferReturns: Sendable {
    private struct State {
        var returned: [UInt32] = []
        /// Whether the camera's thread is to be woken by the next return.
        var isAwaited = false
    }

    private let state = Locked(State())
    /// Raised by a return that is awaited.
    let signal: EventFlag

    init(signal: EventFlag) {
        self.signal = signal
    }

    /// Gives a buffer back; from any thread, never blocks for long.
    func add(_ index: UInt32) {
        let isAwaited = state.withLock { state in
            state.returned.append(index)
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { signal.signal() }
    }

    /// Takes what has been given back since the last call.
    /// - Parameter awaitsMore: Told how many are taken; whether the next return is to raise the signal.
    func takeAll(awaitsMore: (_ count: Int) -> Bool) -> [UInt32] {
        state.withLock { state in
            state.isAwaited = awaitsMore(state.returned.count)
            defer { state.returned.removeAll(keepingCapacity: true) }
            return state.returned
        }
    }
}
