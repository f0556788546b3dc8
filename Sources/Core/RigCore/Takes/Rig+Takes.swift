import CaptureModel
import FaultPoints
import Logging
import ShotDocuments
import ShotLogic
import StorageKit

/// Takes: shots whose captures are recordings. A `Trigger` with movie settings begins one.
extension Rig {
    /// Ends a take's recordings at one instant, far enough ahead that every node learns of it before.
    ///
    /// While somebody holds the rig, others stop only what they have begun.
    /// - Parameters:
    ///   - principal: The sender.
    ///   - requester: The sender's connection. Only its newest request is answered.
    /// - Returns: The progress of the take. The last notice is the answer, when its movies are in the library, or the
    ///   refusal.
    func stop(
        _ request: StopTakeRequest, by principal: Principal, for requester: RequesterToken
    ) async -> AsyncStream<ShotNotice> {
        do throws(RigProblem) {
            await TakeFault.stop.reached()
            let id = try await takeID(request.take)
            guard let progress = shots[id] else {
                let stored = try await storedTake(id)
                return Self.answered(AnsweredShot(shot: stored.shot, manifest: stored))
            }
            let (machine, shot) = (progress.machine, progress.machine.shot)
            if shot.status != .open, let settled = machine.durableShot, settled.status != .open {
                return Self.answered(progress.answered(settled))
            }
            if shot.take?.stopTime == nil, shot.triggeredBy != principal { try hold.requireNotHeld(against: principal) }
            guard let notices = shots.watchEnd(of: id, for: requester) else { throw Self.tooManyWatchers(id) }
            prioritize(id)
            if shot.take?.stopTime == nil {
                let time = present(for: shot) + stopLead(of: shot)
                await handle(.stopRequested(at: time), shot: id)
                await TakeFault.stopping.reached()
            }
            return notices
        } catch {
            return Self.refused(error)
        }
    }

    func announceBeginning(of shot: Shot) async {
        await TakeFault.began.reached()
        let recording = shot.captures.count { !$0.isSettled }
        log.info(
            "a take records",
            metadata: ["shot.id": "\(shot.id)", "cameras": "\(recording) of \(shot.captures.count)"])
        await announce(
            .takeBegan, shot: shot.id,
            details: ["cameras": "\(shot.captures.count)", "recording": "\(recording)"])
    }

    func announceStop(of id: ShotID, at time: RigTime) async {
        log.info("a take is stopped", metadata: ["shot.id": "\(id)"])
        await announce(.takeStopped, shot: id, details: ["timeNanoseconds": "\(time.nanoseconds)"])
    }

    /// Sets a mark at this instant. Returns when it is durable.
    func mark(_ request: MarkTakeRequest) async throws(RigProblem) -> SetMark {
        let received = now
        await TakeFault.mark.reached()
        guard TakeMark.isValid(text: request.text) else {
            throw RigProblem(
                .protocolViolation,
                "the text of a mark must have 1 to \(TakeMark.longestText) bytes without control characters")
        }
        let id = try await takeID(request.take)
        guard let shot = shots[id]?.machine.shot, let marks = shot.take?.marks, shot.status == .open else {
            throw RigProblem(.conflict, "take \(id) has ended; marks can be set only while it records")
        }
        let age: Duration = now - received
        let instant = present(for: shot) - age
        if !marks.contains(where: { $0.id == request.mark }) {
            // Before it is set: a refused mark must not be recorded.
            guard hasRoomForMarker(of: id) else { throw Self.tooManyWatchers(id) }
            guard marks.count < Take.markLimit else {
                throw RigProblem(.conflict, "take \(id) has \(Take.markLimit) marks already, which is the maximum")
            }
            await handle(.marked(TakeMark(id: request.mark, time: instant, text: request.text)), shot: id)
        }
        return try await durableMark(request.mark, of: id)
    }

    func announce(_ mark: TakeMark, of id: ShotID) async {
        await announce(
            .takeMarked, shot: id, details: ["text": mark.text, "timeNanoseconds": "\(mark.time.nanoseconds)"])
    }

    private func hasRoomForMarker(of id: ShotID) -> Bool {
        shots[id]?.hasRoomForMarker ?? true
    }

    private func durableMark(_ mark: UInt64, of id: ShotID) async throws(RigProblem) -> SetMark {
        while let machine = shots[id]?.machine {
            if let known = machine.durableShot?.take?.marks.first(where: { $0.id == mark }) {
                await TakeFault.markDurable.reached()
                return SetMark(known, of: machine.shot)
            }
            guard hasRoomForMarker(of: id) else {
                throw RigProblem(
                    .inputOutput,
                    "the mark is set, but the library's disk has not stored it yet; repeat the request to get its instant"
                )
            }
            await withCheckedContinuation { shots.addMarker($0, to: id) }
        }
        let shot = try await storedTake(id).shot
        guard let known = shot.take?.marks.first(where: { $0.id == mark }) else {
            throw RigProblem(.conflict, "take \(id) ended before the mark was set")
        }
        return SetMark(known, of: shot)
    }

    /// Returns every take with outstanding outcomes; at most as many as shots may be in progress.
    func openTakes() -> [OpenTake] {
        shots.openTakes.prefix(OpenShots.limit).map { OpenTake($0.shot, stopTime: $0.toldStop) }
    }

    /// Returns the requested take: by its id, or the only one that records.
    private func takeID(_ id: ShotID?) async throws(RigProblem) -> ShotID {
        if let id {
            let known: Shot? = if let shot = shots[id]?.machine.shot { shot } else { try await lookUp(id)?.shot }
            guard let known else {
                throw RigProblem(.unknownShot, "there is no take \(id); `capctl takes list` lists the takes")
            }
            guard known.take != nil else { throw RigProblem(.conflict, "\(id) is a shot, not a take") }
            return id
        }
        return try shots.recordingTake()
    }

    private func storedTake(_ id: ShotID) async throws(RigProblem) -> StoredManifest {
        guard let manifest = try await lookUp(id) else {
            throw RigProblem(.unknownShot, "the library has no take \(id)")
        }
        return manifest
    }

    /// Returns the lead of a stop: as for T, the time that the slowest node needs to learn of it. Not before T, so that
    /// the lead does not make a take empty.
    private func stopLead(of shot: Shot) -> Duration {
        let cameras = shot.captures.map { plannedCamera($0.device, shot.request.settings) }
        return TriggerPlanner(limits: TriggerLimits(ringDepth: .zero)).defaultLead(cameras)
    }
}

extension SetMark {
    fileprivate init(_ mark: TakeMark, of shot: Shot) {
        self.init(take: shot.id, mark: mark, offset: mark.time - shot.time)
    }
}

extension Shot {
    /// The noun for the shot in logs.
    var noun: String { take == nil ? "shot" : "take" }
}

extension EventName {
    static let takeAccepted = EventName(rawValue: "take.accepted")
    static let takeBegan = EventName(rawValue: "take.began")
    static let takeStopped = EventName(rawValue: "take.stopped")
    static let takeMarked = EventName(rawValue: "take.marked")
    static let takeSettled = EventName(rawValue: "take.settled")
    static let takeDeleted = EventName(rawValue: "take.deleted")
}
