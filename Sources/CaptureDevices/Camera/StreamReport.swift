import CaptureModel
import PosixSupport

/// What a running stream tells while its frames go elsewhere; written by its loop, read from any thread.
final class StreamReport: Sendable {
    private let state = Locked(State())

    private struct State {
        var losses = FrameLosses()
        var handedOn: UInt64 = 0
        var failure: CameraError?
    }

    var losses: FrameLosses { state.withLock { $0.losses } }
    var failure: CameraError? { state.withLock { $0.failure } }

    /// Frames given to the consumer's queue, those included that it lost there.
    var handedOn: UInt64 { state.withLock { $0.handedOn } }

    private func handedOn(overflow: Bool) {
        state.withLock { state in
            state.handedOn &+= 1
            if overflow { state.losses.byNode &+= 1 }
        }
    }

    /// Gives a frame to the consumer's queue and counts what that pushes out of it.
    /// - Returns: Whether there is still a consumer.
    func hand(_ frame: CameraFrame, to frames: AsyncStream<CameraFrame>.Continuation) -> Bool {
        switch frames.yield(frame) {
        case .terminated: return false
        case .dropped: handedOn(overflow: true)
        default: handedOn(overflow: false)
        }
        return true
    }

    func lost(byDevice count: UInt64) {
        state.withLock { $0.losses.byDevice &+= count }
    }

    func failed(_ error: CameraError) {
        state.withLock { $0.failure = error }
    }
}

/// Frames lost before the consumer had them.
struct FrameLosses {
    var byDevice: UInt64 = 0
    var byNode: UInt64 = 0

    var counters: FrameCounters {
        var counters = FrameCounters()
        counters.droppedByDevice = byDevice
        counters.droppedByNode = byNode
        return counters
    }
}
