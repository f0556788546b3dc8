package import CaptureModel
package import PosixSupport

/// What a device's thread and the rest of the process share of one stream.
package final class StreamControl: Sendable {
    private struct State {
        var losses = FrameCounters()
        var failure: CameraError?
        var isStopping = false
        var isFinished = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var thread: NamedThread?
    }

    private let state = Locked(State())
    /// Wakes the device's thread: to stop, or to take back a buffer.
    package let signal: EventFlag

    package init() throws(PosixError) {
        signal = try EventFlag()
    }

    deinit {
        state.withLock { $0.thread.take() }?.detach()
    }

    package var losses: FrameCounters { state.withLock { $0.losses } }
    package var failure: CameraError? { state.withLock { $0.failure } }
    package var isStopping: Bool { state.withLock { $0.isStopping } }

    package func count(_ change: (inout FrameCounters) -> Void) {
        state.withLock { change(&$0.losses) }
    }

    /// Keeps the thread for joining; where nobody waits for its end, it is let go with this object.
    package func adopt(_ thread: NamedThread) {
        state.withLock { $0.thread = thread }
    }

    /// Asks the thread to end; harmless when it has.
    package func requestStop() {
        state.withLock { $0.isStopping = true }
        signal.signal()
    }

    /// The thread's last word: the device is closed.
    package func finish(_ failure: CameraError?) {
        let waiters = state.withLock { state in
            state.failure = state.isStopping ? nil : failure
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the thread has ended.
    package func waitUntilFinished() async {
        await withCheckedContinuation { waiter in
            let isFinished = state.withLock { state in
                if !state.isFinished { state.waiters.append(waiter) }
                return state.isFinished
            }
            if isFinished { waiter.resume() }
        }
        // The thread has said its last word, so this waits for its return from a function, not for any device.
        state.withLock { $0.thread.take() }?.join()
    }
}
