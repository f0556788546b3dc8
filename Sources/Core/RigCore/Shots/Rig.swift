package import CaptureModel
package import Catalogue
import FaultPoints
package import Logging
package import Previews
import ShotLogic
package import StorageKit

/// The state of the rig: which nodes and devices there are, and how every shot stands.
///
/// It decides; sockets and disk are asked through ``RigLinks``, `ShotLibrary` and ``RosterStore``. Its work
/// that takes time (writing manifests) runs in ``run()``.
package actor Rig {
    package nonisolated let epoch: Epoch
    package nonisolated let clockID: RigClockID
    package nonisolated let clock: any TimeSource
    package nonisolated let settings: RigSettings
    nonisolated let library: ShotLibrary
    nonisolated let catalogue: (any Catalogue)?
    nonisolated let previews: PreviewMaker?
    nonisolated let log: Logger
    private nonisolated let rosterStore: RosterStore

    var roster: Roster
    var events: EventLog
    var shots: [ShotID: ShotInProgress] = [:]
    var links: (any RigLinks)?
    /// Requests about devices under way, and who waits for each; bounded by the relay.
    var relay = DeviceRelay()
    var deviceWaiters: [UInt64: [AsyncStream<DeviceRelay.Outcome>.Continuation]] = [:]
    /// How far the events of each connected node have come, since its hello.
    var eventCursors: [NodeName: EventCursor] = [:]
    /// Events of each connected node that are not acknowledged yet.
    var acknowledgements: [NodeName: PendingAcknowledgements] = [:]
    /// Who has joined or was refused, and is to be told of.
    var joinNotices = JoinNotices()
    /// How far the spool of each node has been taken up; bounded by the roster.
    var backlogs: [NodeName: Backlog] = [:]
    /// Shots that are being looked up for clients.
    var lookups = 0
    /// Shots whose last manifest could not be written.
    private var unwritten: Set<ShotID> = []
    private nonisolated let alarm: Alarm
    private nonisolated let writes: AsyncStream<Shot>
    private nonisolated let write: AsyncStream<Shot>.Continuation

    package init(
        epoch: Epoch, clockID: RigClockID, clock: any TimeSource, settings: RigSettings, library: ShotLibrary,
        catalogue: (any Catalogue)? = nil, previews: PreviewMaker? = nil, events: EventLog, roster: Roster,
        rosterStore: RosterStore, log: Logger
    ) {
        self.epoch = epoch
        self.clockID = clockID
        self.clock = clock
        self.settings = settings
        self.library = library
        self.catalogue = catalogue
        self.previews = previews
        self.roster = roster
        self.rosterStore = rosterStore
        self.log = log
        self.events = events
        alarm = Alarm(clock: clock)
        // Bounded by the shots under way: each has at most one write outstanding.
        (writes, write) = AsyncStream.makeStream(of: Shot.self)
    }

    package func attach(_ links: any RigLinks) {
        self.links = links
    }

    /// The present on the rig's time line, which is this machine's own clock.
    nonisolated var now: RigTime { RigTime(nanoseconds: clock.now().nanoseconds) }

    nonisolated var wallClock: WallClockPair<RigTimeBase> {
        let pair = clock.wallClockPair()
        return WallClockPair(
            monotonic: RigTime(nanoseconds: pair.monotonic.nanoseconds), realtimeNanoseconds: pair.realtimeNanoseconds)
    }

    /// Works until the task is cancelled: manifests are written, deadlines kept, silent nodes noticed.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepDeadlines() }
            group.addTask { await self.watchNodes() }
            for await shot in writes {
                group.addTask { await self.journal(shot) }
            }
            group.cancelAll()
        }
    }

    private nonisolated func journal(_ shot: Shot) async {
        await RigFault.journal.reached()
        do {
            try await library.journal(shot)
            catalogue?.note(shot)
            previews?.note(shot)
            await RigFault.journaled.reached()
            if shot.take?.stopTime != nil { await TakeFault.stopDurable.reached() }
            await noteJournal(of: shot.id, nil)
            await handle(.manifestDurable(revision: shot.revision), shot: shot.id)
        } catch {
            await noteJournal(of: shot.id, error)
            await handle(.manifestFailed(revision: shot.revision, error), shot: shot.id)
        }
    }

    /// Logs the first failure of a shot's manifest and its end, not every attempt.
    private func noteJournal(of id: ShotID, _ problem: CaptureProblem?) {
        if let problem, unwritten.insert(id).inserted {
            log.error("a manifest cannot be written", metadata: ["shot.id": "\(id)", "reason": "\(problem)"])
        } else if problem == nil, unwritten.remove(id) != nil {
            log.info("a manifest can be written again", metadata: ["shot.id": "\(id)"])
        }
    }

    func scheduleWrite(_ shot: Shot) {
        write.yield(shot)
    }

    /// Called after every change of a machine, since its deadline may have moved.
    func deadlinesChanged() {
        alarm.ring()
    }

    private func keepDeadlines() async {
        while !Task.isCancelled {
            let deadlines = shots.compactMapValues { shot in
                shot.machine.nextDeadline.map { localTime(of: $0, for: shot.machine.shot) }
            }
            await RigFault.deadline.reached()
            await alarm.wait(until: (deadlines.values + [relay.nextDeadline].compactMap(\.self)).min())
            let due = deadlines.filter { $0.value <= clock.now() }.keys.sorted()
            for id in due { await handle(.deadlinePassed, shot: id) }
            await relay(.deadlinePassed(at: clock.now()))
        }
    }

    private func watchNodes() async {
        while !Task.isCancelled {
            await RigFault.nodes.reached()
            do { try await clock.sleep(for: settings.heartbeatTimeout / 8) } catch { return }
            for node in roster.expire(at: clock.now(), timeout: settings.heartbeatTimeout) { await nodeHasGone(node) }
            for notice in joinNotices.due(at: clock.now()) { await tell(notice) }
            await watchBacklogs()
            await recoverLostEvents()
        }
    }

    private func nodeHasGone(_ node: NodeName) async {
        log.warning("a node is silent", metadata: ["node": "\(node)"])
        await announce(.node(.disconnected), details: ["node": node.rawValue])
        await relay(.nodeGone(node))
        // It may be back meanwhile, and each shot then knows so.
        for id in shots.keys.sorted() where roster.nodes[node]?.agent == nil {
            await handle(.nodeDisconnected(node), shot: id)
        }
        if roster.nodes[node]?.agent == nil { forget(node) }
    }

    /// Lets go of what is kept for a node's next message; of a node that the roster does not keep, of everything.
    private func forget(_ node: NodeName) {
        eventCursors[node] = nil
        acknowledgements[node] = nil
        guard roster.nodes[node] == nil else { return }
        backlogs[node] = nil
        events.forget(node)
    }

    /// Writes the persistent part of the roster; a failure is told and the next change tries again.
    func saveRoster() async {
        do {
            try await rosterStore.write(roster.devices.map(\.description))
        } catch {
            log.error("the roster cannot be written", metadata: ["reason": "\(error)"])
        }
    }

    /// Numbers an event of the coordinator and puts it on the feed.
    func announce(_ name: EventName, device: DeviceID? = nil, shot: ShotID? = nil, details: [String: String] = [:])
        async
    {
        let pair = wallClock
        let event = RigEvent(
            name, realtimeNanoseconds: pair.realtimeNanoseconds,
            local: LocalTime(nanoseconds: pair.monotonic.nanoseconds),
            rig: BoundedRigTime(time: pair.monotonic, bound: .zero), device: device, shot: shot, details: details)
        links?.publish(events.append(event))
    }
}
