import CaptureModel
import ShotLogic

/// What a client that waits for a shot is told.
enum ShotNotice: Sendable {
    /// - Parameter answerDue: When the answer comes at the latest; nil where nothing limits it.
    case progress(ShotProgress, Shot, predictedSpread: Duration?, answerDue: LocalTime?)
    /// The last one.
    /// - Parameter leftOut: Devices that the selection meant and that were left out when the cameras were chosen; nil also where
    ///   that is not known any more.
    case answer(Shot, leftOut: LeftOutDevices?)
    /// The last one.
    case refused(CaptureProblem)
}

/// A shot under way, with the clients that wait for it.
struct ShotInProgress: Sendable {
    /// How many clients may wait for one shot; further ones are refused.
    static let watcherLimit = 32

    var machine: ShotMachine
    var predictedSpread: Duration?
    /// What was left out when its cameras were chosen; nil too where the shot was taken up from the library.
    var leftOut: LeftOutDevices?
    /// When clients are answered at the latest, those that have asked for a take's end aside; nil where nothing limits it.
    var answerDue: LocalTime?
    /// Whether its files are fetched before those that nobody waits for.
    var isPrioritized = false
    /// Whether it had its result, and is under way again because of files that nodes still have.
    var isLate = false
    /// Notices for each request. Progress is bounded, newest first to stay; the answer comes last and always fits.
    var watchers: [AsyncStream<ShotNotice>.Continuation] = []
    /// Those who have asked for a take's end; told and bounded as the others. A take may last for hours, so a client that
    /// asks again takes its own place.
    var stoppers: [RequesterToken: AsyncStream<ShotNotice>.Continuation] = [:]
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
    /// - Returns: nil where too many wait already.
    mutating func watch(untilBeginning: Bool = false) -> AsyncStream<ShotNotice>? {
        guard waiting.count < Self.watcherLimit else { return nil }
        let (notices, watcher) = begin(answerDue)
        if untilBeginning { starters.append(watcher) } else { watchers.append(watcher) }
        return notices
    }

    /// Waits for the end of a take on behalf of a requester's newest request; the one before is refused.
    /// - Returns: nil where too many others wait already.
    mutating func watchEnd(for requester: RequesterToken) -> AsyncStream<ShotNotice>? {
        if let earlier = stoppers.removeValue(forKey: requester) {
            earlier.yield(.refused(Self.askedAgain(machine.shot.id)))
            earlier.finish()
        }
        guard waiting.count < Self.watcherLimit else { return nil }
        let (notices, watcher) = begin(nil)
        stoppers[requester] = watcher
        return notices
    }

    /// Everybody who is told of the shot.
    private var waiting: [AsyncStream<ShotNotice>.Continuation] { watchers + starters + stoppers.values }

    /// Whether anybody waits for the shot's outcome.
    var isWatched: Bool { !watchers.isEmpty || !stoppers.isEmpty }

    private func begin(_ answerDue: LocalTime?) -> (AsyncStream<ShotNotice>, AsyncStream<ShotNotice>.Continuation) {
        let (notices, watcher) = AsyncStream.makeStream(of: ShotNotice.self, bufferingPolicy: .bufferingNewest(16))
        // A sign that the shot is taken on, so that a slow one is not mistaken for a dead coordinator.
        watcher.yield(notice(of: machine.progress, answerDue))
        return (notices, watcher)
    }

    private static func askedAgain(_ take: ShotID) -> CaptureProblem {
        CaptureProblem(
            .conflict,
            "this client has asked for the end of take \(take) again; its later request is the one that is answered")
    }

    func tell(_ progress: ShotProgress) {
        for watcher in watchers + starters { watcher.yield(notice(of: progress, answerDue)) }
        for stopper in stoppers.values { stopper.yield(notice(of: progress, nil)) }
    }

    private func notice(of progress: ShotProgress, _ answerDue: LocalTime?) -> ShotNotice {
        .progress(progress, machine.shot, predictedSpread: predictedSpread, answerDue: answerDue)
    }

    /// Answers everybody.
    mutating func answer(_ shot: Shot) { end(with: .answer(shot, leftOut: leftOut)) }

    /// Tells everybody their last notice.
    mutating func end(with notice: ShotNotice) {
        for watcher in waiting {
            watcher.yield(notice)
            watcher.finish()
        }
        (watchers, starters, stoppers) = ([], [], [:])
    }

    /// Answers who waits for a take's beginning.
    mutating func tellBeginning(_ shot: Shot) {
        for starter in starters {
            starter.yield(.answer(shot, leftOut: leftOut))
            starter.finish()
        }
        starters = []
    }
}
