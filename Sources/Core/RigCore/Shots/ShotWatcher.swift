import CaptureModel
import Foundation
import ShotDocuments
import ShotLogic

/// A notice for a client that waits for a shot.
enum ShotNotice: Sendable {
    /// - Parameter answerDue: The latest instant of the answer; nil if there is no limit.
    case progress(ShotProgressReport, Shot, predictedSpread: Duration?, answerDue: LocalTime?)
    /// The last one.
    case answer(AnsweredShot)
    /// The last one.
    case refused(RigProblem)
}

/// The answer to a client about a shot.
struct AnsweredShot: Sendable {
    var shot: Shot
    /// The document from which the shot was read; nil if this process has written its manifest, or could not.
    var manifest: StoredManifest?
    /// Selected devices that were left out when the cameras were chosen; nil also if that is unknown.
    var leftOut: LeftOutDevices?
}

/// A shot in progress, with the clients that wait for it.
struct ShotInProgress: Sendable {
    /// Limit on the clients that wait for one shot. Further ones are refused.
    static let watcherLimit = 32

    var machine: ShotMachine
    var predictedSpread: Duration?
    /// Devices left out when the cameras were chosen; nil also if the shot was resumed from the library.
    var leftOut: LeftOutDevices?
    /// The manifest from which the shot was resumed, until this process has written the next one.
    var takenUp: StoredManifest?
    /// The latest instant of the answer, except for clients that requested a take's end; nil if there is no limit.
    var answerDue: LocalTime?
    /// Whether its files are fetched before those that nobody waits for.
    var isPrioritized = false
    /// Whether the shot had its result, and is in progress again because of files that nodes still have.
    var isLate = false
    /// Whether this run has counted the shot's result.
    var isCounted = false
    /// The notices for each request. Progress is bounded, and the oldest is dropped first; the answer is last and
    /// always fits.
    var watchers: [AsyncStream<ShotNotice>.Continuation] = []
    /// Clients that requested a take's end, with the same notices and bounds. A take may last for hours, so a client
    /// that repeats its request replaces the earlier one.
    var stoppers: [RequesterToken: AsyncStream<ShotNotice>.Continuation] = [:]
    /// Clients that wait for a take's beginning, with the same notices and bounds.
    var starters: [AsyncStream<ShotNotice>.Continuation] = []

    /// Clients that have set marks which are in no durable manifest yet; at most ``watcherLimit``.
    var markers: [CheckedContinuation<Void, Never>] = []

    /// Wakes the clients that wait for a mark.
    mutating func wakeMarkers() {
        let waiting = markers
        markers = []
        for marker in waiting { marker.resume() }
    }

    /// - Parameter untilBeginning: Whether a take's beginning is the answer.
    /// - Returns: nil if too many clients wait already.
    mutating func watch(untilBeginning: Bool = false) -> AsyncStream<ShotNotice>? {
        guard waiting.count < Self.watcherLimit else { return nil }
        let (notices, watcher) = begin(answerDue)
        if untilBeginning { starters.append(watcher) } else { watchers.append(watcher) }
        return notices
    }

    /// Waits for the end of a take for a requester's newest request. The earlier request is refused.
    /// - Returns: nil if too many other clients wait already.
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

    /// All clients that receive notices of the shot.
    private var waiting: [AsyncStream<ShotNotice>.Continuation] { watchers + starters + stoppers.values }

    /// Whether anybody waits for the shot's outcome.
    var isWatched: Bool { !watchers.isEmpty || !stoppers.isEmpty }

    private func begin(_ answerDue: LocalTime?) -> (AsyncStream<ShotNotice>, AsyncStream<ShotNotice>.Continuation) {
        let (notices, watcher) = AsyncStream.makeStream(of: ShotNotice.self, bufferingPolicy: .bufferingNewest(16))
        // Shows that the shot is accepted, so that a slow one is not mistaken for a dead coordinator.
        watcher.yield(notice(of: machine.progress, answerDue))
        return (notices, watcher)
    }

    private static func askedAgain(_ take: ShotID) -> RigProblem {
        RigProblem(
            .conflict,
            "this client has asked for the end of take \(take) again; the later request is answered")
    }

    func tell(_ progress: ShotProgressReport) {
        for watcher in watchers + starters { watcher.yield(notice(of: progress, answerDue)) }
        for stopper in stoppers.values { stopper.yield(notice(of: progress, nil)) }
    }

    private func notice(of progress: ShotProgressReport, _ answerDue: LocalTime?) -> ShotNotice {
        .progress(progress, machine.shot, predictedSpread: predictedSpread, answerDue: answerDue)
    }

    /// Answers all clients.
    mutating func answer(_ shot: Shot) { end(with: .answer(answered(shot))) }

    /// Returns the answer with a revision of the shot.
    func answered(_ shot: Shot) -> AnsweredShot {
        AnsweredShot(shot: shot, manifest: takenUp?.shot == shot ? takenUp : nil, leftOut: leftOut)
    }

    /// Sends all clients their last notice.
    mutating func end(with notice: ShotNotice) {
        for watcher in waiting {
            watcher.yield(notice)
            watcher.finish()
        }
        (watchers, starters, stoppers) = ([], [], [:])
    }

    /// Answers the clients that wait for a take's beginning.
    mutating func tellBeginning(_ shot: Shot) {
        for starter in starters {
            starter.yield(.answer(answered(shot)))
            starter.finish()
        }
        starters = []
    }
}

extension Shot {
    /// Returns the settings for each of these cameras. A camera from which no raw file is expected gets settings
    /// without one, regardless of its configuration by then.
    func settings(for devices: [DeviceID]) -> [(settings: PhotoSettings, devices: [DeviceID])] {
        let settings = request.settings
        guard settings.raw == .withPhotoWhereEnabled else { return [(settings, devices)] }
        let expecting = Set(
            captures.lazy.filter { $0.files.contains { $0.kind == .alternatePhoto } }.map(\.device.id))
        var plain = settings
        (plain.raw, plain.rawThumbnail) = (nil, nil)
        let parts = [
            (settings, devices.filter(expecting.contains)), (plain, devices.filter { !expecting.contains($0) }),
        ]
        return parts.filter { !$0.1.isEmpty }
    }
}

/// The local offset from UTC, for dates that people read.
enum UTCOffset {
    /// Minutes east of Greenwich at an instant of `CLOCK_REALTIME`.
    static func minutes(atRealtimeNanoseconds realtime: Int64) -> Int {
        TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(realtime) / 1e9)) / 60
    }
}
