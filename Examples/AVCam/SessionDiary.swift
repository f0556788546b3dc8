import CaptureEngine
import CaptureModel

/// What a session tells of itself, printed as it comes; the observer of AVFoundation's notifications.
struct SessionDiary: Sendable {
    private let notices: AsyncStream<SessionNotice>
    private let continuation: AsyncStream<SessionNotice>.Continuation

    init() {
        (notices, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Called by the session, which waits for it.
    func note(_ event: SessionEvent) {
        guard case .session(let device, let notice) = event else { return }
        switch notice {
        case .didStartRunning: tell("\(device): didStartRunning")
        case .didStopRunning: tell("\(device): didStopRunning")
        case .wasInterrupted(let reason, let why): tell("\(device): wasInterrupted \(reason.rawValue): \(why)")
        case .interruptionEnded(let reason): tell("\(device): interruptionEnded \(reason.rawValue)")
        case .runtimeError(let why, let attempt?): tell("\(device): runtimeError: \(why); restart \(attempt)")
        case .runtimeError(let why, nil): tell("\(device): runtimeError: \(why); no further restart")
        }
        continuation.yield(notice)
    }

    /// Returns when the session has told what `isMeant` accepts, since the last call.
    func wait(for isMeant: (SessionNotice) -> Bool) async {
        for await notice in notices where isMeant(notice) { return }
    }
}
