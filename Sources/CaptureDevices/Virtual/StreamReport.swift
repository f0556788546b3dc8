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

    func handedOn(overflow: Bool) {
        state.withLock { state in
            state.handedOn &+= 1
            if overflow { state.losses.byNode &+= 1 }
        }
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
}
