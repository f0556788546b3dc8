package import CaptureModel
package import PosixSupport

/// The state of one stream that a device's thread shares with the rest of the process.
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
    /// Wakes the device's thread, to stop or to accept a returned buffer.
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

    /// Keeps the thread for joining. If nobody waits for its end, it is detached with this object.
    package func adopt(_ thread: NamedThread) {
        state.withLock { $0.thread = thread }
    }

    /// Requests the end of the thread. Does nothing if it has ended.
    package func requestStop() {
        state.withLock { $0.isStopping = true }
        signal.signal()
    }

    /// Notes the thread's last report: the device is closed.
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
        // The thread has sent its last report, so this waits only for its function to return, not for a device.
        state.withLock { $0.thread.take() }?.join()
    }
}

/// The reports of a running stream, apart from its frames. Written by its loop, read from any thread.
package final class StreamReport: Sendable {
    private let state = Locked(State())

    package init() {}

    private struct State {
        var losses = FrameLosses()
        var handedOn: UInt64 = 0
        var failure: CameraError?
    }

    package var losses: FrameLosses { state.withLock { $0.losses } }
    package var failure: CameraError? { state.withLock { $0.failure } }

    /// Frames given to the consumer's queue, including those lost there.
    package var handedOn: UInt64 { state.withLock { $0.handedOn } }

    private func handedOn(_ frames: UInt64, overflow: Bool) {
        state.withLock { state in
            state.handedOn &+= frames
            if overflow { state.losses.byNode &+= frames }
        }
    }

    /// Adds a frame, or a buffer of sound, to the consumer's queue and counts the elements that this drops.
    /// - Parameter frames: The number of frames in the element, and in a dropped one.
    /// - Returns: Whether there is still a consumer.
    package func hand<Element: Sendable>(
        _ element: Element, of frames: UInt64 = 1, to consumer: AsyncStream<Element>.Continuation
    ) -> Bool {
        switch consumer.yield(element) {
        case .terminated: return false
        case .dropped: handedOn(frames, overflow: true)
        default: handedOn(frames, overflow: false)
        }
        return true
    }

    package func lost(byDevice count: UInt64) {
        state.withLock { $0.losses.byDevice &+= count }
    }

    /// Counts a picture of which the device has dropped what follows it.
    package func trimmed() {
        state.withLock { $0.losses.trimmed &+= 1 }
    }

    package func failed(_ error: CameraError) {
        state.withLock { $0.failure = error }
    }
}

/// Frames lost before they reached the consumer, and those that did without what followed them.
package struct FrameLosses: Sendable {
    package var byDevice: UInt64 = 0
    package var byNode: UInt64 = 0
    package var trimmed: UInt64 = 0

    package var counters: FrameCounters {
        var counters = FrameCounters()
        counters.droppedByDevice = byDevice
        counters.droppedByNode = byNode
        counters.trimmed = trimmed
        return counters
    }
}
