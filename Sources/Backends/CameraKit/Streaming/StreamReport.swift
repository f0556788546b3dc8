package import CaptureModel
import PosixSupport

/// What a running stream tells while its frames go elsewhere; written by its loop, read from any thread.
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

    /// Frames given to the consumer's queue, those included that it lost there.
    package var handedOn: UInt64 { state.withLock { $0.handedOn } }

    private func handedOn(_ frames: UInt64, overflow: Bool) {
        state.withLock { state in
            state.handedOn &+= frames
            if overflow { state.losses.byNode &+= frames }
        }
    }

    /// Gives a frame, or a buffer of sound, to the consumer's queue and counts what that pushes out of it.
    /// - Parameter frames: How many it is, and what is pushed out.
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

    package func failed(_ error: CameraError) {
        state.withLock { $0.failure = error }
    }
}

/// Frames lost before the consumer had them.
package struct FrameLosses: Sendable {
    package var byDevice: UInt64 = 0
    package var byNode: UInt64 = 0

    package var counters: FrameCounters {
        var counters = FrameCounters()
        counters.droppedByDevice = byDevice
        counters.droppedByNode = byNode
        return counters
    }
}
