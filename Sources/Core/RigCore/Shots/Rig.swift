package import CaptureModel
package import Catalogue
import FaultPoints
package import Logging
package import Previews
import ShotLogic
package import StorageKit

import class PosixSupport.Locked

/// The state of the rig: its nodes and devices, and the state of every shot.
///
/// It makes decisions. ``RigLinks``, `ShotLibrary` and `DocumentStore` do the work on sockets and disk. Work that takes
/// time (writing manifests) runs in ``run()``.
package actor Rig {
    package nonisolated let epoch: Epoch
    package nonisolated let clockID: RigClockID
    package nonisolated let clock: any TimeSource
    /// They may change while the rig runs.
    nonisolated let limits: Locked<RigLimits>
    nonisolated let library: LibraryReader
    nonisolated let manifests: ManifestWriter
    nonisolated let profileStore: (any ProfileStore)?
    nonisolated let log: Logger
    /// Wakes the task that keeps deadlines.
    private nonisolated let alarm: Alarm

    // Each keeps its own state. None of them is Sendable: only the rig uses them, and what it does with them between two awaits is one step.
    let shots = OpenShots()
    let transactions = SettingsTransactions()
    let deliveries = SettingsDeliveries()
    let ledger: LedgerKeeper
    let hold: HoldKeeper
    let deviceRequests = DeviceRequests()
    let nodes: RigNodes

    private var eventLog: EventLog
    private var attachedLinks: (any RigLinks)?

    /// - Parameters:
    ///   - hold: What an earlier run has stored of the rig's hold.
    ///   - holdStore: nil for a hold that ends with this run.
    ///   - committedSettings: What an earlier run has stored of settings transactions.
    ///   - settingsLedger: nil if no later run is to know them.
    ///   - profileStore: nil for a rig without profiles.
    ///   - copies: nil if no copies of the library are known.
    package init(
        epoch: Epoch, clockID: RigClockID, clock: any TimeSource, settings: RigLimits, library: ShotLibrary,
        catalogue: (any Catalogue)? = nil, previews: PreviewMaker? = nil, events: EventLog, roster: Roster,
        rosterStore: any DocumentStore<[DeviceDescription]>, hold: StoredHold? = nil,
        holdStore: (any DocumentStore<StoredHold?>)? = nil,
        committedSettings: [CommittedSettings] = [], settingsLedger: (any DocumentStore<[CommittedSettings]>)? = nil,
        profileStore: (any ProfileStore)? = nil, copies: (any ShotCopies)? = nil, log: Logger
    ) {
        self.epoch = epoch
        self.clockID = clockID
        self.clock = clock
        limits = Locked(settings)
        self.library = LibraryReader(library, copies: copies, clock: clock)
        manifests = ManifestWriter(library, catalogue, previews, log: log)
        self.profileStore = profileStore
        self.log = log
        alarm = Alarm(clock: clock)
        nodes = RigNodes(roster, in: rosterStore, on: clockID, timeout: settings.heartbeatTimeout, log: log)
        self.hold = HoldKeeper(restoring: hold, in: holdStore, on: clockID, clock: clock, log: log)
        ledger = LedgerKeeper(committedSettings, in: settingsLedger, on: clockID, clock: clock, log: log)
        eventLog = events
    }

    package func attach(_ links: any RigLinks) {
        attachedLinks = links
    }

    /// The channels; nil before they are attached.
    var links: (any RigLinks)? { attachedLinks }

    /// The present on the rig's time line, which is this machine's clock.
    nonisolated var now: RigTime { clock.rigTime }

    nonisolated var wallClock: WallClockPair<RigTimeBase> { clock.rigWallClock }

    /// Works until the task is cancelled: writes manifests, keeps deadlines, and notices silent nodes.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepDeadlines() }
            group.addTask { await self.watchNodes() }
            group.addTask { await self.keepLedger() }
            group.addTask {
                await self.manifests.run { shot, problem in await self.noteManifest(of: shot, problem) }
            }
        }
    }

    private func noteManifest(of shot: Shot, _ problem: RigProblem?) async {
        let event: ShotEvent =
            if let problem {
                .manifestFailed(revision: shot.revision, problem)
            } else {
                .manifestDurable(revision: shot.revision)
            }
        await handle(event, shot: shot.id)
    }

    /// Writes changes of settings transactions, and ends the transactions whose ends are durable with them.
    private func keepLedger() async {
        await ledger.run { await endStored() }
    }

    /// Wakes the task that keeps deadlines. Called after every change of a machine, because its deadline may have moved.
    func deadlinesChanged() {
        alarm.ring()
    }

    private func keepDeadlines() async {
        while !Task.isCancelled {
            var deadlines: [ShotID: LocalTime] = [:]
            for machine in shots.ids.compactMap({ shots[$0]?.machine }) {
                deadlines[machine.shot.id] = machine.nextDeadline.map { localTime(of: $0, for: machine.shot) }
            }
            await RigFault.deadline.reached()
            await alarm.wait(
                until: (deadlines.values + [deviceRequests.nextDeadline, hold.deadline].compactMap(\.self)).min())
            let due = deadlines.filter { $0.value <= clock.now() }.keys.sorted()
            for id in due { await handle(.deadlinePassed, shot: id) }
            await relay(.deadlinePassed(at: clock.now()))
            await tell(hold.expire())
        }
    }

    private func watchNodes() async {
        while !Task.isCancelled {
            await RigFault.nodes.reached()
            do { try await clock.sleep(for: settings.heartbeatTimeout / 8) } catch { return }
            let gone = nodes.expire(at: clock.now())
            // Before anything else is awaited: a node that is back by then gets requests that do not end with those of the run that has gone.
            for node in gone { await relay(.nodeGone(node)) }
            for node in gone { await nodeHasGone(node) }
            for notice in nodes.dueNotices(at: clock.now()) { await tell(notice) }
            await watchBacklogs()
            await recoverLostEvents()
        }
    }

    private func nodeHasGone(_ node: NodeName) async {
        log.warning("a node is silent", metadata: ["node": "\(node)"])
        await announce(.node(.disconnected), details: ["node": node.rawValue])
        // The node may be back already; then the shots already know it.
        for id in shots.ids where !nodes.isConnected(node) {
            await handle(.nodeDisconnected(node), shot: id)
        }
        if nodes.forgetDialog(with: node) { eventLog.forget(node) }
    }

    /// All nodes and devices, connected or not.
    var roster: Roster { nodes.roster }

    /// The nodes whose agent is connected.
    package var connectedNodes: Set<NodeName> { nodes.connected }

    /// The newest transactions that cameras may have been told to carry out, also by earlier runs; oldest first.
    var committedSettings: [CommittedSettings] { ledger.content.committed }

    // MARK: The feed

    /// Numbers events of a node and puts them on the feed, except those that are there already.
    /// - Returns: The number on the feed up to which they are there.
    func publish(_ events: [NumberedEvent], from node: NodeName) -> UInt64 {
        for event in events {
            if let published = eventLog.append(event, from: node) { links?.publish(published) }
        }
        return eventLog.lastSequence
    }

    /// Has events that nodes send again published again.
    func forgetPublishedEvents() { eventLog.forgetTaken() }

    /// Numbers an event of the coordinator and puts it on the feed.
    func announce(_ name: EventName, device: DeviceID? = nil, shot: ShotID? = nil, details: [String: String] = [:])
        async
    {
        let pair = wallClock
        let event = RigEvent(
            name, realtimeNanoseconds: pair.realtimeNanoseconds,
            local: LocalTime(nanoseconds: pair.monotonic.nanoseconds),
            rig: BoundedRigTime(time: pair.monotonic, bound: .zero), device: device, shot: shot, details: details)
        links?.publish(eventLog.append(event))
    }
}
