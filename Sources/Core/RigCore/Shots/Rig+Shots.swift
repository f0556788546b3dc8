package import CaptureModel
import ControlMessages
import FaultPoints
import Logging
import ShotDocuments
import ShotLogic
import StorageKit

extension Rig {
    /// Passes an event to a shot's machine and carries out its actions, in order.
    func handle(_ event: ShotEvent, shot id: ShotID) async {
        // Waiting clients are informed before any await that lets another event in.
        guard let shot = shots[id]?.shot, let actions = shots.handle(event, of: id, at: present(for: shot))
        else { return }
        // Before any await, so that no deadline is missed because of it.
        deadlinesChanged()
        prioritize(id)
        for action in actions { await perform(action, shot: id) }
        shots.wakeMarkers(of: id)
        // A settled shot begins again only because a node has a file of it, and that event is still to follow.
        if event != .begin, shots.dropIfFinished(id) { manifests.forget(id) }
    }

    /// Gives the shot's files priority while somebody waits for it.
    func prioritize(_ id: ShotID) {
        if let isWatched = shots.changedPriority(of: id) { links?.prioritize(id, isWatched) }
    }

    /// Returns the present on the shot's time line. If that time line ended with a reboot, uses the wall clock that the
    /// shot recorded.
    func present(for shot: Shot) -> RigTime {
        shot.rigClock == clockID ? now : shot.wallClock.instant(atRealtimeNanoseconds: wallClock.realtimeNanoseconds)
    }

    /// Returns the instant `time` of a shot's time line on this machine's clock, to wait for.
    func localTime(of time: RigTime, for shot: Shot) -> LocalTime {
        clock.now() + (time - present(for: shot))
    }

    private func perform(_ action: ShotAction, shot id: ShotID) async {
        switch action {
        case .writeManifest(let shot): manifests.schedule(shot)
        case .prepare(let node, let devices): await prepare(devices, on: node, shot: id)
        case .fire(let node, let devices):
            let order = FireOrder(shot: id, devices: devices, stop: shots[id]?.machine.toldStop)
            await links?.send(.fire(order), to: node)
        case .cancel(let node, let devices): await links?.send(.cancel(id, devices), to: node)
        case .collect(let key, let byteCount, let digest):
            nodes.collects(key, at: clock.now())
            await links?.collect(
                key, SpooledFile(kind: key.kind, byteCount: byteCount, digest: digest),
                isAwaited: shots[id]?.isWatched ?? false)
        case .release(let key, let digest):
            await links?.release(key, digest)
            await noteEnd(of: key)
        case .forget(let key): await links?.release(key, nil)
        case .giveUp(let problem):
            log.error("a shot is given up", metadata: ["shot.id": "\(id)", "reason": "\(problem)"])
        case .progress, .answer, .overdue: break
        case .began(let shot): await announceBeginning(of: shot)
        case .stopped(let time): await announceStop(of: id, at: time)
        case .marked(let mark): await announce(mark, of: id)
        case .finished(let shot):
            shots.countResult(of: shot)
            await announceFinished(shot)
            await links?.tidy(id)
        case .warn(let key, let problem):
            log.warning("a node contradicts itself", metadata: ["capture": "\(key)", "reason": "\(problem)"])
        }
    }

    private func prepare(_ devices: [DeviceID], on node: NodeName, shot id: ShotID) async {
        guard let machine = shots[id]?.machine else { return }
        for (settings, devices) in machine.shot.settings(for: devices) {
            await prepare(devices, with: settings, on: node, machine)
        }
    }

    private func prepare(
        _ devices: [DeviceID], with settings: PhotoSettings, on node: NodeName, _ machine: ShotMachine
    ) async {
        let shot = machine.shot
        let realtime = shot.wallClock.realtimeNanoseconds(at: shot.time)
        let order = PrepareOrder(
            shot: shot.id, devices: devices, time: shot.time, rigClock: shot.rigClock,
            pinnedUntil: machine.resolutionDeadline,
            setUntil: shot.time.lastExposure(of: frameIntervals(of: shot), settings), settings: settings,
            realtimeAtTime: realtime, utcOffsetMinutes: UTCOffset.minutes(atRealtimeNanoseconds: realtime))
        await links?.send(.prepare(order), to: node)
    }

    private func frameIntervals(of shot: Shot) -> [Duration] {
        shot.captures.map { roster.frameInterval(of: $0.device.id) ?? TriggerPlanner.assumedFrameInterval }
    }

    /// Returns how long reports of these cameras may take: a slow camera's picture follows T by up to an interval, and
    /// a damaged one is replaced by its neighbor.
    func grace(for cameras: [DeviceID]) -> Duration {
        let slowest = cameras.compactMap { roster.frameInterval(of: $0) }.max() ?? .zero
        return max(settings.grace, min(slowest, Self.slowestInterval) * 3)
    }

    /// The longest time from frame to frame that a shot waits for; a node may state any.
    private static let slowestInterval = Duration.seconds(60)

    private func announceFinished(_ shot: Shot) async {
        log.info(
            "a \(shot.noun) is settled",
            metadata: ["shot.id": "\(shot.id)", "status": "\(shot.status.rawValue)", "revision": "\(shot.revision)"])
        await announce(
            shot.take == nil ? .shotSettled : .takeSettled, shot: shot.id,
            details: ["status": shot.status.rawValue, "revision": "\(shot.revision)"]
                .merging(shot.timingDetails) { own, _ in own })
    }

    /// Reads a shot from the library and resumes it, if it is not in progress.
    /// - Returns: Whether there is one.
    func reopen(_ id: ShotID) async -> Bool {
        if shots[id] != nil { return true }
        guard shots.beginReopening(id) else { return false }
        defer { shots.endReopening(id) }
        do {
            guard let manifest = try await library.manifest(id) else { return false }
            await resume(manifest.shot, from: manifest)
        } catch {
            log.error("a shot cannot be read", metadata: ["shot.id": "\(id)", "reason": "\(error)"])
        }
        return shots[id] != nil
    }

    static let lateWriteDelay = Duration.seconds(60)

    /// Resumes a shot of the library, as after a restart.
    /// - Parameter manifest: The document from which the shot was read.
    func resume(_ shot: Shot, from manifest: StoredManifest? = nil) async {
        guard shots[shot.id] == nil else { return }
        var schedule = ShotSchedule(
            time: shot.time, now: present(for: shot), arming: settings.arming,
            grace: grace(for: shot.captures.map(\.device.id)))
        // A shot that has its result is written with a long delay, because shots that somebody waits for need the disk.
        if shot.status != .open { schedule.writeDelay = Self.lateWriteDelay }
        let machine = ShotMachine(resuming: shot, rigClock: clockID, schedule: schedule)
        shots.begin(ShotInProgress(resuming: machine, from: manifest))
        await handle(.begin, shot: shot.id)
    }

    /// Resumes every open shot of the library.
    package func resumeOpenShots() async throws {
        let listing = try await library.openShots()
        for damaged in listing.damaged { log.error("a manifest is damaged", metadata: ["file": "\(damaged)"]) }
        for shot in listing.shots {
            let manifest = try? await library.manifest(shot.id)
            await resume(manifest?.shot ?? shot, from: manifest)
        }
    }
}

extension EventName {
    /// A change of a node.
    enum NodeChange: String {
        case connected
        case disconnected
        case refused
    }

    /// A change of captures in a node's spool.
    enum SpoolChange: String {
        /// The spool has captures that no shot of the library expects.
        case orphaned
    }

    /// A shot has begun.
    static let shotAccepted = EventName(rawValue: "shot.accepted")
    /// Events were lost before the feed's journal had them.
    static let feedEventsLost = EventName(rawValue: "feed.eventsLost")

    static func spool(_ change: SpoolChange) -> EventName { EventName(rawValue: "spool.\(change.rawValue)") }
    static func node(_ change: NodeChange) -> EventName { EventName(rawValue: "node.\(change.rawValue)") }
}

/// The points at which the coordinator's tasks for shots wait.
package enum RigFault: String, TaskFaultPoint {
    /// A trigger is accepted, but nothing of it is durable.
    case accepted = "coordinator.rig.wait.accepted"
    /// A manifest is about to be written.
    case journal = "coordinator.rig.wait.journal"
    /// A manifest is durable, but its shot does not know it yet.
    case journaled = "coordinator.rig.wait.journaled"
    case deadline = "coordinator.rig.wait.deadline"
    case nodes = "coordinator.rig.wait.nodes"
}

/// The coordinator's limits.
package struct RigLimits: Hashable, Sendable {
    /// The heartbeat interval of agents, and the silence after which a side considers the other gone.
    package var heartbeatInterval = Duration.milliseconds(500)
    package var heartbeatTimeout = Duration.seconds(2)
    /// How long nodes may take to arm.
    package var arming = Duration.seconds(1)
    /// How long reports may take after T, unless a camera is slower.
    package var grace = Duration.seconds(3)
    /// How long a client waits after T if it does not name a timeout.
    package var timeout = Duration.seconds(10)
    /// How far ahead T may be.
    package var maximumAhead = Duration.seconds(30)
    /// The limits of shots whose request has none.
    package var timing: TimingLimits?

    package init() {}
}

extension Shot {
    /// How simultaneous its pictures are, as details of an event.
    fileprivate var timingDetails: [String: String] {
        var details = simultaneity?.eventDetails ?? [:]
        if limits != nil { details["exceeding"] = "\(captures.count { !$0.exceeds.isEmpty })" }
        return details
    }
}
