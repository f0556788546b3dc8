import CaptureModel
import ShotLogic
import StorageKit

/// The shots in progress: those that wait for their result, and those that are in progress again because nodes still have files of them.
///
/// A shot is dropped when its machine has nothing left to do and nobody waits for it; the library keeps it. Without a clock, a socket or a
/// disk. Belongs to one actor, and runs on it: ``Rig`` carries out the actions.
final class OpenShots {
    /// Limit on the shots that wait for their result. Beyond it, a trigger is refused.
    static let limit = 256
    /// Number of shots that may be reopened because of files that nodes still have. If the library's disk refuses their
    /// manifests, such shots accumulate, so no further page is requested.
    static let lateLimit = 1024

    private var shots: [ShotID: ShotInProgress] = [:]
    private var results = ShotCounts()
    /// Shots that are being read from the library, to be in progress again, with the number of readers.
    private var reopening: [ShotID: Int] = [:]
    /// Settled shots that are being deleted.
    private var deleting: Set<ShotID> = []

    /// The results of the shots that this run has settled.
    var counts: ShotCounts { results }

    subscript(id: ShotID) -> ShotInProgress? { shots[id] }

    var ids: [ShotID] { shots.keys.sorted() }

    var count: Int { shots.count }

    var isEmpty: Bool { shots.isEmpty }

    /// Whether another shot may be reopened because of files that nodes still have.
    var hasRoomForLate: Bool { shots.values.count(where: \.isLate) < Self.lateLimit }

    /// - Throws: `noMemory` if too many shots wait for their result.
    func requireRoom() throws(RigProblem) {
        guard shots.values.count(where: \.isUnderWay) < Self.limit else {
            throw RigProblem(.noMemory, "\(Self.limit) shots are under way; wait for some to settle")
        }
    }

    /// Whether a shot expects a capture.
    func expects(_ key: CaptureKey) -> Bool {
        shots[key.shot]?.shot.captures.contains { $0.device.id == key.device } ?? false
    }

    /// The takes that have no outcome yet, in the order of their ids.
    var openTakes: [ShotMachine] {
        shots.values.map(\.machine).filter { $0.shot.take != nil && $0.shot.status == .open }
            .sorted { $0.shot.id < $1.shot.id }
    }

    /// The only take that records.
    /// - Throws: `unknownShot` if there is none; `conflict` if there are several.
    func recordingTake() throws(RigProblem) -> ShotID {
        let running = openTakes.map(\.shot).filter { $0.take?.stopTime == nil }
        guard let only = running.first else {
            throw RigProblem(.unknownShot, "nothing is being recorded; `capctl record start` begins a take")
        }
        guard running.count == 1 else {
            let ids = running.map(\.id.description).joined(separator: ", ")
            throw RigProblem(.conflict, "\(running.count) takes are being recorded; select one: \(ids)")
        }
        return only.id
    }

    /// The files of a device that are not in the library.
    func pendingFiles(of device: DeviceID) -> [FileKey] {
        ids.flatMap { id -> [FileKey] in
            let capture = shots[id]?.shot.captures.first { $0.device.id == device }
            return (capture?.files ?? []).filter { $0.outcome == .pending }
                .map { FileKey(capture: CaptureKey(shot: id, device: device), kind: $0.kind) }
        }
    }

    // MARK: Changes

    func begin(_ shot: ShotInProgress) { shots[shot.shot.id] = shot }

    /// Passes an event to a shot's machine, and tells the clients that wait for the shot.
    /// - Returns: The actions of the machine, in their order; nil if the shot is not in progress.
    func handle(_ event: ShotEvent, of id: ShotID, at now: RigTime) -> [ShotAction]? {
        shots[id]?.handle(event, at: now)
    }

    /// Drops a shot that has nothing left to do.
    /// - Returns: Whether it is dropped.
    @discardableResult
    func dropIfFinished(_ id: ShotID) -> Bool {
        guard shots[id]?.isFinished == true else { return false }
        shots[id] = nil
        return true
    }

    /// Counts a shot's first result.
    func countResult(of shot: Shot) {
        if shots[shot.id]?.noteResult() == true { results.count(shot) }
    }

    /// Notes that a shot is to be read from the library. Nobody deletes it until ``endReopening(_:)``.
    /// - Returns: false if it is being deleted.
    func beginReopening(_ id: ShotID) -> Bool {
        guard !deleting.contains(id) else { return false }
        reopening[id, default: 0] += 1
        return true
    }

    func endReopening(_ id: ShotID) {
        let count = reopening[id, default: 0] - 1
        reopening[id] = count > 0 ? count : nil
    }

    /// Keeps a shot from being in progress again until ``endDeletion(_:)``.
    /// - Throws: `conflict` if it is in progress, or somebody else deletes it.
    func beginDeletion(_ id: ShotID) throws(RigProblem) {
        try requireAtRest(id)
        guard deleting.insert(id).inserted else {
            throw RigProblem(.conflict, "shot \(id) is being deleted by another request")
        }
    }

    func endDeletion(_ id: ShotID) { deleting.remove(id) }

    /// - Throws: `conflict` if a shot is in progress, with what it waits for.
    func requireAtRest(_ id: ShotID) throws(RigProblem) {
        if let shot = shots[id]?.shot { throw .inProgress(shot) }
        if reopening[id] != nil {
            throw RigProblem(
                .conflict,
                "a node has files of shot \(id), which are being compared with the library; try again in a moment")
        }
    }

    func countDeletion(_ reason: ShotDeletion.Reason) { results.deleted[reason, default: 0] += 1 }

    /// As ``ShotInProgress/changedPriority()``.
    func changedPriority(of id: ShotID) -> Bool? { shots[id]?.changedPriority() ?? nil }

    /// As ``ShotInProgress/watch(untilBeginning:due:)``.
    func watch(_ id: ShotID, untilBeginning: Bool, due: LocalTime?) -> AsyncStream<ShotNotice>? {
        shots[id]?.watch(untilBeginning: untilBeginning, due: due) ?? nil
    }

    /// As ``ShotInProgress/watchEnd(for:)``.
    func watchEnd(of id: ShotID, for requester: RequesterToken) -> AsyncStream<ShotNotice>? {
        shots[id]?.watchEnd(for: requester) ?? nil
    }

    /// Has a client wait until the next event of a shot has been handled; at once if the shot is not in progress.
    func addMarker(_ marker: CheckedContinuation<Void, Never>, to id: ShotID) {
        if shots[id] == nil { marker.resume() } else { shots[id]?.addMarker(marker) }
    }

    /// Wakes the clients that wait for marks of a shot.
    func wakeMarkers(of id: ShotID) { shots[id]?.wakeMarkers() }
}

extension RigProblem {
    /// Why a shot in progress is not deleted.
    static func inProgress(_ shot: Shot) -> RigProblem {
        let noun = shot.noun
        guard shot.status == .open else {
            return RigProblem(
                .conflict,
                "a node still delivers files of \(noun) \(shot.id), so it is not deleted; try again when they are in the library"
            )
        }
        let waiting = shot.captures.count { !$0.isSettled }
        return RigProblem(
            .conflict,
            "\(noun) \(shot.id) is in progress: \(waiting) of its \(shot.captures.count) cameras have no outcome yet, so it is not deleted; "
                + (shot.take == nil
                    ? "wait until it is settled" : "end it with `capctl record stop`, and wait until it is settled"))
    }

    /// Why there is nothing of a shot that was deleted.
    static func deleted(_ deletion: ShotDeletion) -> RigProblem {
        RigProblem(.deleted, deletion.sentence)
    }
}
