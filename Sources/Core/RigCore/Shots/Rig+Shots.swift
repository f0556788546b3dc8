import CaptureModel
import Logging
import ShotLogic
import StorageKit

extension Rig {
    /// Hands an event to a shot's machine and does what it asks, in order.
    func handle(_ event: ShotEvent, shot id: ShotID) async {
        guard let shot = shots[id]?.machine.shot,
            let actions = shots[id]?.machine.handle(event, at: present(for: shot))
        else { return }
        // What waiting clients are told comes before anything that lets another event in.
        for action in actions { tellWatchers(action, shot: id) }
        // Before anything that waits: no deadline is missed because of it.
        deadlinesChanged()
        prioritize(id)
        for action in actions { await perform(action, shot: id) }
        shots[id]?.wakeMarkers()
        // A settled shot begins again only because a node has a file of it: that event is still to come.
        if event != .begin { dropIfFinished(id) }
    }

    /// Has the shot's files fetched before others while somebody waits for it, and no longer.
    func prioritize(_ id: ShotID) {
        guard let shot = shots[id], shot.isWatched != shot.isPrioritized else { return }
        shots[id]?.isPrioritized = shot.isWatched
        links?.prioritize(id, shot.isWatched)
    }

    /// Forgets a machine that has nothing left to do and whom nobody waits for; the library keeps the shot.
    func dropIfFinished(_ id: ShotID) {
        guard let shot = shots[id], shot.machine.isFinished, !shot.isWatched else { return }
        shots[id] = nil
    }

    private func tellWatchers(_ action: ShotAction, shot id: ShotID) {
        switch action {
        case .progress(let progress): shots[id]?.tell(progress)
        case .answer(let shot): shots[id]?.answer(shot)
        case .giveUp(let problem): shots[id]?.end(with: .refused(problem))
        case .overdue(let shot): shots[id]?.tellBeginning(shot)
        case .began(let shot): shots[id]?.tellBeginning(shot)
        // Who asks for the end of a take that had settled before, and was opened again by a node, waits for this.
        case .settled(let shot): shots[id]?.answer(shot)
        default: break
        }
    }

    /// The present on the shot's own time line: where that one ended with a reboot, by the wall clock the shot recorded.
    func present(for shot: Shot) -> RigTime {
        shot.rigClock == clockID ? now : shot.wallClock.instant(atRealtimeNanoseconds: wallClock.realtimeNanoseconds)
    }

    /// The instant `time` of a shot's line on this machine's clock, to wait for.
    func localTime(of time: RigTime, for shot: Shot) -> LocalTime {
        clock.now() + (time - present(for: shot))
    }

    private func perform(_ action: ShotAction, shot id: ShotID) async {
        switch action {
        case .writeManifest(let shot): scheduleWrite(shot)
        case .prepare(let node, let devices): await prepare(devices, on: node, shot: id)
        case .fire(let node, let devices):
            await links?.send(.fire(id, devices, stopTime: shots[id]?.machine.toldStop), to: node)
        case .cancel(let node, let devices): await links?.send(.cancel(id, devices), to: node)
        case .collect(let key, let byteCount, let digest):
            noteCollect(key)
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
        case .settled(let shot):
            await announceSettled(shot)
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
        let command = PrepareCommand(
            shot: shot.id, devices: devices, settings: settings, rigClock: shot.rigClock, time: shot.time,
            pinnedUntil: machine.schedule.resolutionDeadline, realtimeNanoseconds: realtime,
            utcOffsetMinutes: UTCOffset.minutes(atRealtimeNanoseconds: realtime))
        await links?.send(.prepare(command), to: node)
    }

    private func announceSettled(_ shot: Shot) async {
        log.info(
            "a \(shot.noun) is settled",
            metadata: ["shot.id": "\(shot.id)", "status": "\(shot.status.rawValue)", "revision": "\(shot.revision)"])
        await announce(
            shot.take == nil ? .shot(.settled) : .takeSettled, shot: shot.id,
            details: ["status": shot.status.rawValue, "revision": "\(shot.revision)"])
    }

    /// Reads a shot from the library and goes on with it, where it is not under way.
    /// - Returns: whether there is one.
    func reopen(_ id: ShotID) async -> Bool {
        if shots[id] != nil { return true }
        do {
            guard let shot = try await library.shot(id) else { return false }
            await resume(shot)
        } catch {
            log.error("a shot cannot be read", metadata: ["shot.id": "\(id)", "reason": "\(error)"])
        }
        return shots[id] != nil
    }

    static let lateWriteDelay = Duration.seconds(60)

    /// Goes on with a shot of the library, as after a restart.
    func resume(_ shot: Shot) async {
        guard shots[shot.id] == nil else { return }
        var schedule = ShotSchedule(
            time: shot.time, now: present(for: shot), arming: settings.arming, grace: settings.grace)
        // Of a shot that had its result only the next one is worth a write: the disk is for shots that are awaited.
        if shot.status != .open { schedule.writeDelay = Self.lateWriteDelay }
        var progress = ShotInProgress(machine: ShotMachine(resuming: shot, rigClock: clockID, schedule: schedule))
        progress.isLate = shot.status != .open
        shots[shot.id] = progress
        await handle(.begin, shot: shot.id)
    }

    /// Goes on with every shot the library has open.
    package func resumeOpenShots() async throws {
        let listing = try await library.openShots()
        for damaged in listing.damaged { log.error("a manifest is damaged", metadata: ["file": "\(damaged)"]) }
        for shot in listing.shots { await resume(shot) }
    }
}
