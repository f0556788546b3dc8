import CaptureModel
import ShotLogic

/// What a client that waits for a shot is told.
enum ShotNotice: Sendable {
    case progress(ShotProgress, Shot, predictedSpread: Duration?)
    /// The last one.
    case answer(Shot)
    /// The last one.
    case refused(CaptureProblem)
}

/// A shot under way, with the clients that wait for it.
struct ShotInProgress: Sendable {
    /// How many clients may wait for one shot; further ones are refused.
    static let watcherLimit = 32

    var machine: ShotMachine
    var predictedSpread: Duration?
    /// Whether it had its result, and is under way again because of files that nodes still have.
    var isLate = false
    /// Notices for each client. Progress is bounded, newest first to stay; the answer comes last and always fits.
    var watchers: [AsyncStream<ShotNotice>.Continuation] = []
    /// Clients that wait for a take's beginning; told and bounded as the others.
    var starters: [AsyncStream<ShotNotice>.Continuation] = []

    /// Those who have set marks that are in no durable manifest yet; at most ``watcherLimit``.
    var markers: [CheckedContinuation<Void, Never>] = []

    /// Whoever waits for a mark looks again.
    mutating func wakeMarkers() {
        let waiting = markers
        markers = []
        for marker in waiting { marker.resume() }
    }

    /// - Parameter untilBeginning: Whether a take's beginning is the answer.
    mutating func watch(untilBeginning: Bool = false) -> AsyncStream<ShotNotice>? {
        guard watchers.count + starters.count < Self.watcherLimit else { return nil }
        let (notices, watcher) = AsyncStream.makeStream(of: ShotNotice.self, bufferingPolicy: .bufferingNewest(16))
        if untilBeginning { starters.append(watcher) } else { watchers.append(watcher) }
        // A sign that the shot is taken on, so that a slow one is not mistaken for a dead coordinator.
        watcher.yield(.progress(machine.progress, machine.shot, predictedSpread: predictedSpread))
        return notices
    }

    mutating func tell(_ progress: ShotProgress) {
        tell(.progress(progress, machine.shot, predictedSpread: predictedSpread))
    }

    mutating func tell(_ notice: ShotNotice) {
        for watcher in watchers + starters { watcher.yield(notice) }
        if case .progress = notice { return }
        for watcher in watchers + starters { watcher.finish() }
        (watchers, starters) = ([], [])
    }

    /// Answers who waits for a take's beginning.
    mutating func tellBeginning(_ shot: Shot) {
        for starter in starters {
            starter.yield(.answer(shot))
            starter.finish()
        }
        starters = []
    }
}
