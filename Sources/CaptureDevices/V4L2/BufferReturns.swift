import PosixSupport

/// Where ended leases leave the numbers of their buffers, for the camera's thread to queue again.
///
/// Leases end on any thread, and the queue belongs to the camera's thread alone; so nothing is queued after the device
/// has stopped, whoever still holds a lease then.
final class BufferReturns: Sendable {
    private let returned = Locked<[UInt32]>([])
    /// Raised with every return.
    let signal: EventFlag

    init(signal: EventFlag) {
        self.signal = signal
    }

    /// Gives a buffer back; from any thread, never blocks for long.
    func add(_ index: UInt32) {
        returned.withLock { $0.append(index) }
        signal.signal()
    }

    /// Takes what has been given back since the last call.
    func takeAll() -> [UInt32] {
        returned.withLock { list in
            defer { list.removeAll(keepingCapacity: true) }
            return list
        }
    }
}
