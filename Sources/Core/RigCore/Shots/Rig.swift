package import CaptureModel
package import Catalogue
package import ControlMessages
import FaultPoints
package import Logging
package import Previews
import ShotLogic
package import StorageKit

/// The state of the rig: its nodes and devices, and the state of every shot.
///
/// It makes decisions. ``RigLinks``, `ShotLibrary` and `DocumentStore` do the work on sockets and disk. Work that takes
/// time (writing manifests) runs in ``run()``.
package actor Rig {
    package nonisolated let epoch: Epoch
    package nonisolated let clockID: RigClockID
    package nonisolated let clock: any TimeSource
    package nonisolated let settings: RigLimits
    nonisolated let library: ShotLibrary
    nonisolated let catalogue: (any Catalogue)?
    nonisolated let previews: PreviewMaker?
    nonisolated let log: Logger
    private nonisolated let rosterStore: any DocumentStore<[DeviceDescription]>
    nonisolated let holdStore: (any DocumentStore<StoredHold?>)?
    private nonisolated let ledgerStore: (any DocumentStore<[CommittedSettings]>)?
    nonisolated let profileStore: (any ProfileStore)?

    private var nodes: RigNodes
    private var eventLog: EventLog
    private var openShots = OpenShots()
    private var attachedLinks: (any RigLinks)?
    private var deviceRequests = DeviceRequests()
    private var settingsTransactions = SettingsTransactions()
    private var settingsCancellations = SettingsCancellations()
    private var settingsDeliveries = SettingsDeliveries()
    private var ledger: SettingsLedger
    /// Wakes the task that writes the ledger.
    private nonisolated let ledgerAlarm: Alarm
    /// Wake those that wait for a change to be durable. Bounded by the transactions, their repeats, and the nodes.
    private var ledgerWaiters = AlarmList()
    /// Wake those that wait for nodes to connect. Bounded by the transactions in progress.
    private var joinWaiters = AlarmList()
    private var hold: HoldMachine
    private var lookups = LibraryLookups()
    private nonisolated let alarm: Alarm
    private nonisolated let writes: AsyncStream<Shot>
    private nonisolated let write: AsyncStream<Shot>.Continuation

    /// - Parameters:
    ///   - hold: What an earlier run has stored of the rig's hold.
    ///   - holdStore: nil for a hold that ends with this run.
    ///   - committedSettings: What an earlier run has stored of settings transactions.
    ///   - settingsLedger: nil if no later run is to know them.
    ///   - profileStore: nil for a rig without profiles.
    package init(
        epoch: Epoch, clockID: RigClockID, clock: any TimeSource, settings: RigLimits, library: ShotLibrary,
        catalogue: (any Catalogue)? = nil, previews: PreviewMaker? = nil, events: EventLog, roster: Roster,
        rosterStore: any DocumentStore<[DeviceDescription]>, hold: StoredHold? = nil,
        holdStore: (any DocumentStore<StoredHold?>)? = nil,
        committedSettings: [CommittedSettings] = [], settingsLedger: (any DocumentStore<[CommittedSettings]>)? = nil,
        profileStore: (any ProfileStore)? = nil, log: Logger
    ) {
        self.epoch = epoch
        self.clockID = clockID
        self.clock = clock
        self.settings = settings
        self.library = library
        self.catalogue = catalogue
        self.previews = previews
        nodes = RigNodes(roster, on: clockID, timeout: settings.heartbeatTimeout)
        self.rosterStore = rosterStore
        self.hold = HoldMachine(restoring: hold, clockID)
        self.holdStore = holdStore
        ledger = SettingsLedger(committedSettings)
        ledgerStore = settingsLedger
        self.profileStore = profileStore
        self.log = log
        eventLog = events
        alarm = Alarm(clock: clock)
        ledgerAlarm = Alarm(clock: clock)
        // Bounded by the shots in progress: each has at most one outstanding write.
        (writes, write) = AsyncStream.makeStream(of: Shot.self)
    }

    package func attach(_ links: any RigLinks) {
        attachedLinks = links
    }

    /// The channels; nil before they are attached.
    var links: (any RigLinks)? { attachedLinks }

    /// The present on the rig's time line, which is this machine's clock.
    nonisolated var now: RigTime { RigTime(nanoseconds: clock.now().nanoseconds) }

    nonisolated var wallClock: WallClockPair<RigTimeBase> {
        let pair = clock.wallClockPair()
        return WallClockPair(
            monotonic: RigTime(nanoseconds: pair.monotonic.nanoseconds), realtimeNanoseconds: pair.realtimeNanoseconds)
    }

    /// Works until the task is cancelled: writes manifests, keeps deadlines, and notices silent nodes.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepDeadlines() }
            group.addTask { await self.watchNodes() }
            group.addTask { await self.keepLedger() }
            for await shot in writes {
                group.addTask { await self.writeManifest(shot) }
            }
            group.cancelAll()
        }
    }

    private nonisolated func writeManifest(_ shot: Shot) async {
        await RigFault.journal.reached()
        do throws(StorageError) {
            try await library.write(shot)
            catalogue?.note(shot)
            previews?.note(shot)
            await RigFault.journaled.reached()
            if shot.take?.stopTime != nil { await TakeFault.stopDurable.reached() }
            await noteJournal(of: shot.id, nil)
            await handle(.manifestDurable(revision: shot.revision), shot: shot.id)
        } catch {
            let problem = RigProblem(error)
            await noteJournal(of: shot.id, problem)
            await handle(.manifestFailed(revision: shot.revision, problem), shot: shot.id)
        }
    }

    /// Logs the first failure of a shot's manifest and the end of the failures, not every attempt.
    private func noteJournal(of id: ShotID, _ problem: RigProblem?) {
        guard openShots.noteManifest(of: id, isWritten: problem == nil) else { return }
        if let problem {
            log.error("a manifest cannot be written", metadata: ["shot.id": "\(id)", "reason": "\(problem)"])
        } else {
            log.info("a manifest can be written again", metadata: ["shot.id": "\(id)"])
        }
    }

    func scheduleWrite(_ shot: Shot) {
        write.yield(shot)
    }

    /// Wakes the task that keeps deadlines. Called after every change of a machine, because its deadline may have moved.
    func deadlinesChanged() {
        alarm.ring()
    }

    private func keepDeadlines() async {
        while !Task.isCancelled {
            var deadlines: [ShotID: LocalTime] = [:]
            for machine in openShots.ids.compactMap({ openShots[$0]?.machine }) {
                deadlines[machine.shot.id] = machine.nextDeadline.map { localTime(of: $0, for: machine.shot) }
            }
            await RigFault.deadline.reached()
            await alarm.wait(
                until: (deadlines.values + [deviceRequests.nextDeadline, holdDeadline].compactMap(\.self)).min())
            let due = deadlines.filter { $0.value <= clock.now() }.keys.sorted()
            for id in due { await handle(.deadlinePassed, shot: id) }
            await relay(.deadlinePassed(at: clock.now()))
            await expireHold()
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
        for id in openShots.ids where !nodes.isConnected(node) {
            await handle(.nodeDisconnected(node), shot: id)
        }
        if nodes.forgetDialog(with: node) { eventLog.forget(node) }
    }

    // MARK: Shots

    /// The shots in progress.
    var shots: OpenShots { openShots }

    /// Notes a shot whose machine begins next.
    func begin(_ shot: ShotInProgress) { openShots.begin(shot) }

    /// Passes an event to a shot's machine, as ``OpenShots/handle(_:of:at:)``.
    func handle(_ event: ShotEvent, of id: ShotID, at now: RigTime) -> [ShotAction]? {
        openShots.handle(event, of: id, at: now)
    }

    /// Gives the shot's files priority while somebody waits for it.
    func prioritize(_ id: ShotID) {
        if let isWatched = openShots.changedPriority(of: id) { links?.prioritize(id, isWatched) }
    }

    /// Drops a machine that has nothing left to do and that nobody waits for. The library keeps the shot.
    func dropIfFinished(_ id: ShotID) { openShots.dropIfFinished(id) }

    /// Counts a shot's first result.
    func countResult(of shot: Shot) { openShots.countResult(of: shot) }

    /// Waits for the outcome of a shot, as ``ShotInProgress/watch(untilBeginning:due:)``.
    func watch(_ id: ShotID, untilBeginning: Bool, due: LocalTime?) -> AsyncStream<ShotNotice>? {
        openShots.watch(id, untilBeginning: untilBeginning, due: due)
    }

    /// Waits for the end of a take, as ``ShotInProgress/watchEnd(for:)``.
    func watchEnd(of id: ShotID, for requester: RequesterToken) -> AsyncStream<ShotNotice>? {
        openShots.watchEnd(of: id, for: requester)
    }

    /// Returns when the next event of a shot has been handled.
    func nextEvent(of id: ShotID) async {
        await withCheckedContinuation { openShots.addMarker($0, to: id) }
    }

    /// Wakes the clients that wait for marks of a shot.
    func wakeMarkers(of id: ShotID) { openShots.wakeMarkers(of: id) }

    /// - Throws: `noMemory` if too many shots are being looked up for clients.
    func beginLookup() throws(RigProblem) { try lookups.begin() }

    func endLookup() { lookups.end() }

    /// Number of shots being looked up for clients.
    var lookupCount: Int { lookups.count }

    // MARK: Settings transactions

    /// The transactions in progress, and the reports of the newest ended ones.
    var transactions: SettingsTransactions { settingsTransactions }

    /// The newest transactions that cameras may have been told to carry out, also by earlier runs; oldest first.
    var committedSettings: [CommittedSettings] { ledger.committed }

    /// Transactions that somebody has cancelled.
    var cancellations: SettingsCancellations { settingsCancellations }

    /// As ``SettingsTransactions/begin(_:by:cameras:_:)``.
    func begin(
        _ request: SettingsRequest, by principal: Principal, cameras: [DeviceID],
        _ carryOut: () -> Task<SettingsReport, Never>
    ) throws(RigProblem) -> Task<SettingsReport, Never> {
        try settingsTransactions.begin(request, by: principal, cameras: cameras, carryOut)
    }

    /// Notes a repeat that waits for a transaction, as ``SettingsTransactions/join(_:)``.
    func join(_ id: SettingsID) throws(RigProblem) { try settingsTransactions.join(id) }

    func leave(_ id: SettingsID) { settingsTransactions.leave(id) }

    /// Notes the outcome of every camera, and ends the transaction if that is durable.
    func noteConcluded(_ report: SettingsReport, storedBy change: UInt64) async {
        settingsTransactions.conclude(report, storedBy: change)
        await endStored()
    }

    /// Ends the transactions whose ends are durable.
    private func endStored() async {
        for report in settingsTransactions.end(storedThrough: ledger.stored) { await tellEnd(report) }
    }

    /// A transaction is about to be stored, and can be cancelled.
    func noteStoring(_ id: SettingsID) { settingsCancellations.stores(id) }

    /// Cameras are told to set at T. Until then, the transaction can be cancelled.
    func noteCommitting(_ id: SettingsID, _ cameras: [DeviceID], at time: RigTime) {
        settingsCancellations.commits(id, cameras, at: time)
    }

    /// A transaction waits for T no longer.
    func noteCommitOver(_ id: SettingsID) { settingsCancellations.hasCommitted(id) }

    /// Cancels a transaction, as ``SettingsCancellations/cancel(_:by:_:)``.
    func cancel(_ id: SettingsID, by principal: Principal, _ answers: SettingsCancellations.Answers) {
        settingsCancellations.cancel(id, by: principal, answers)
    }

    /// Begins to tell a node what it has missed, as ``SettingsDeliveries/begin(_:_:)``.
    func beginTelling(_ node: NodeName, _ tell: () -> Task<Void, Never>) { settingsDeliveries.begin(node, tell) }

    /// The task that tells a node what it has missed.
    func delivery(to node: NodeName) -> Task<Void, Never>? { settingsDeliveries.task(for: node) }

    /// As ``SettingsDeliveries/goesOn(_:)``.
    func goesOnTelling(_ node: NodeName) -> Bool { settingsDeliveries.goesOn(node) }

    /// The oldest step that a node has missed.
    func untoldStep(of node: NodeName) -> UntoldSteps.Untold? { settingsDeliveries.untoldStep(of: node) }

    func noteUntold(_ step: SettingsStep, of id: SettingsID, to device: DeviceID) {
        settingsDeliveries.add(step, of: id, to: device)
    }

    func noteTold(_ step: UntoldSteps.Untold) { settingsDeliveries.told(step) }

    /// Drops what waits for cameras that the rig no longer has.
    func dropWaiting(of devices: [DeviceID]) async {
        if ledger.dropWaiting(of: devices) { await storeSettings() }
        settingsDeliveries.forget(devices)
    }

    // MARK: The ledger of settings transactions

    /// The present on the wall clock.
    var realtimeNanoseconds: Int64 { clock.wallClockPair().realtimeNanoseconds }

    /// Keeps a transaction whose cameras are about to be told to set.
    func keep(_ transaction: SettingsTransaction, by principal: Principal) {
        ledger.commit(transaction, by: principal, on: clockID, at: realtimeNanoseconds)
    }

    /// Removes a transaction that no camera is told.
    func removeFromLedger(_ id: SettingsID) { ledger.remove(id) }

    /// Notes the end of a transaction.
    /// - Returns: The change of the ledger with which it is durable; 0 if it was before.
    func noteEnded(
        _ transaction: SettingsTransaction, _ cameras: [CameraSettingsReport], by principal: Principal,
        at time: RigTime?
    ) -> UInt64 {
        settingsCancellations.end(transaction.request.id)
        let isNew = ledger.end(
            transaction, cameras, by: principal, on: clockID, at: time, realtimeNanoseconds: realtimeNanoseconds)
        guard isNew else { return 0 }
        let change = changeLedger()
        // A node may have joined since.
        for node in Set(transaction.order.away.map(\.node)) { beginDelivery(to: node) }
        return change
    }

    /// As ``SettingsLedger/noteDropped(_:of:)``.
    func noteDropped(_ device: DeviceID, of id: SettingsID) { ledger.noteDropped(device, of: id) }

    /// What is known of the transactions that a node may name.
    func knownSettings(of node: NodeName) -> KnownSettings {
        ledger.known(since: nodes.joinedMilliseconds(of: node))
    }

    /// Whether another transaction may wait for nodes.
    var hasRoomForWaiting: Bool { ledger.hasRoomForWaiting }

    /// Whether settings wait for a camera's node.
    func isWaiting(for camera: DeviceID) -> Bool { ledger.isWaiting(for: camera) }

    /// As ``SettingsLedger/delivery(to:)``.
    func nextDelivery(to node: NodeName) -> (CommittedSettings, PastSettings)? { ledger.delivery(to: node) }

    /// As ``SettingsLedger/noteEarlier(_:of:in:)``.
    func noteEarlier(_ earlier: CaptureSettings?, of device: DeviceID, in id: SettingsID) {
        ledger.noteEarlier(earlier, of: device, in: id)
    }

    /// As ``SettingsLedger/noteDelivered(_:earlier:of:)``.
    func noteDelivered(_ report: CameraSettingsReport, earlier: CaptureSettings?, of id: SettingsID) {
        ledger.noteDelivered(report, earlier: earlier, of: id)
    }

    /// Drops the settings of a transaction that wait for a camera's node.
    /// - Returns: Whether there were any.
    func dropWaiting(_ device: DeviceID, of id: SettingsID) -> Bool { ledger.dropWaiting(device, of: id) }

    /// Has the ledger written as it is.
    func changeLedger() -> UInt64 {
        let change = ledger.change()
        ledgerAlarm.ring()
        return change
    }

    /// Waits until the ledger is as wanted, at the latest until the deadline.
    func waitForLedger(until deadline: LocalTime, _ isOver: (SettingsLedger) -> Bool) async {
        guard !isOver(ledger) else { return }
        let alarm = Alarm(clock: clock)
        let number = ledgerWaiters.add(alarm)
        defer { ledgerWaiters.remove(number) }
        while !isOver(ledger), clock.now() < deadline, !Task.isCancelled { await alarm.wait(until: deadline) }
    }

    /// Why a change is not known to be durable; nil if it is.
    func ledgerProblem(of change: UInt64) -> RigProblem? { ledger.problem(of: change) }

    /// Writes the ledger after each change, one write at a time, until the task is cancelled.
    private func keepLedger() async {
        while true {
            switch ledger.next(at: clock.now()) {
            case .write(let change): await writeLedger(through: change)
            case .wait(let instant):
                guard !Task.isCancelled else { return }
                await ledgerAlarm.wait(until: instant)
            }
        }
    }

    private func writeLedger(through change: UInt64) async {
        var result: Result<Void, StorageError> = .success(())
        do throws(StorageError) {
            try await ledgerStore?.replace(with: ledger.committed)
        } catch {
            result = .failure(error)
        }
        if ledger.wrote(through: change, result, at: clock.now()) {
            switch result {
            case .success: log.info("settings transactions can be stored again")
            case .failure(let error):
                log.error(
                    "settings transactions cannot be stored; it is tried again", metadata: ["reason": "\(error)"])
            }
        }
        await endStored()
        ledgerWaiters.ring()
    }

    // MARK: The hold

    var heldState: HeldState { hold.state(at: wallClock) }

    /// What a later run is to know of the hold.
    var storedHold: StoredHold? { hold.stored(on: clockID) }

    /// When the hold is over; nil if nobody holds the rig. The rig's time line is this machine's clock.
    private var holdDeadline: LocalTime? { hold.deadline.map { LocalTime(nanoseconds: $0.nanoseconds) } }

    /// - Throws: `held`, which names the holder, if somebody else holds the rig.
    func requireNotHeld(against principal: Principal) throws(RigProblem) {
        try hold.requireNotHeld(against: principal, at: wallClock)
    }

    /// Changes the hold at once. Returns when it is stored, or the attempt has failed.
    /// - Parameter condition: Compared with ``HeldState/version`` in the same step; nil: the state may be any.
    /// - Throws: As ``HoldMachine/carryOut(_:by:if:at:)``.
    func carryOut(
        _ command: HoldChange, by principal: Principal, if condition: ChangeCondition? = nil
    ) async throws(RigProblem) -> HeldState {
        let changes = try hold.carryOut(command, by: principal, if: condition, at: wallClock)
        let state = heldState
        await tell(changes)
        return state
    }

    /// Ends a hold whose time has come.
    private func expireHold() async {
        await tell(hold.expire(at: now))
    }

    // MARK: Requests about devices

    /// The number of requests about devices in progress.
    var deviceRequestCount: Int { deviceRequests.count }

    /// Joins the request that this one repeats, as ``DeviceRequests/join(_:_:)``.
    func join(_ request: DeviceRequest, _ waiter: DeviceRequests.Waiter) throws(RigProblem) -> Bool {
        try deviceRequests.join(request, waiter)
    }

    /// Begins a request. Returns what is to be sent.
    func begin(
        _ request: DeviceRequest, for waiter: DeviceRequests.Waiter, isConnected: Bool
    ) throws(RigProblem) -> [DeviceRequests.Numbered] {
        try deviceRequests.begin(request, for: waiter, at: clock.now(), isConnected: isConnected)
    }

    /// Whether somebody waits for an answer of a node.
    func awaits(_ answer: DeviceAnswer, from node: NodeName) -> Bool { deviceRequests.awaits(answer.number, of: node) }

    /// Feeds an event to the requests, and sends nodes what follows from it.
    func relay(_ event: DeviceRelay.Event) async { await send(deviceRequests.handle(event)) }

    // MARK: Nodes

    /// All nodes and devices, connected or not.
    var roster: Roster { nodes.roster }

    /// The nodes whose agent is connected.
    package var connectedNodes: Set<NodeName> { nodes.connected }

    /// When a node last joined in this run, on the wall clock, milliseconds since 1970; nil if it has not.
    func joinedMilliseconds(of node: NodeName) -> Int64? { nodes.joinedMilliseconds(of: node) }

    /// Admits an agent to the rig.
    /// - Returns: Whether another run of the agent was connected before, or why the agent is refused.
    package func admit(_ hello: NodeHello, from node: NodeName, epoch: Epoch) async -> Result<Bool, RigProblem> {
        let verdict = nodes.hello(
            hello, from: node, epoch: epoch, at: clock.now(), realtimeMilliseconds: realtimeNanoseconds / 1_000_000)
        switch verdict {
        case .refused(let problem, let notice):
            if let notice { await tell(notice) }
            return .failure(problem)
        case .accepted(let hasRestarted, let rosterChanged, let notice):
            if rosterChanged { await saveRoster() }
            if let notice { await tell(notice) }
            return .success(hasRestarted)
        }
    }

    /// Notes a sign of life of an admitted agent.
    /// - Returns: false if another run of the node has connected since.
    package func heard(from node: NodeName, epoch: Epoch) -> Bool {
        nodes.heard(from: node, epoch: epoch, at: clock.now())
    }

    /// Notes the status of a node.
    func note(_ heartbeat: NodeHeartbeat, from node: NodeName) { noteChanges(nodes.heartbeat(heartbeat, from: node)) }

    /// Updates the roster with a node's list of its devices. An empty list means that nothing has changed.
    func update(_ statuses: [DeviceStatus], of node: NodeName) { noteChanges(nodes.update(statuses, of: node)) }

    /// Removes devices from the roster, as ``Roster/forget(_:)``.
    func removeFromRoster(_ devices: [DeviceID]) throws(RigProblem) -> [DeviceID] { try nodes.forget(devices) }

    /// Notes a batch of events that has arrived.
    /// - Returns: false if an earlier batch is missing; the batch must not be accepted then.
    func follows(_ batch: EventBatch, from node: NodeName) -> Bool { nodes.follows(batch, from: node) }

    /// Notes that a batch is on the feed. Called without a suspension point after its first event was published: if some were lost in
    /// between, they would count as reported.
    func notePublished(_ batch: EventBatch, from node: NodeName) {
        nodes.published(batch, from: node, through: eventLog.lastSequence)
    }

    /// Returns the acknowledgements to send to a node. Does not wait for a disk.
    func dueAcknowledgements(of node: NodeName) -> [EventPosition] {
        guard let journaled = links?.journaledSequence() else { return [] }
        return nodes.dueAcknowledgements(of: node, journaledThrough: journaled)
    }

    /// Numbers an event of a node and puts it on the feed, unless it is there already.
    func publish(_ event: NumberedEvent, from node: NodeName) {
        if let published = eventLog.append(event, from: node) { links?.publish(published) }
    }

    /// Begins again with the events of every connected node.
    /// - Returns: The nodes, which are to say hello again.
    func restartEvents() -> [NodeName] {
        eventLog.forgetTaken()
        return nodes.restartEvents()
    }

    /// Waits until nodes are connected, at the latest until the deadline.
    func waitForNodes(_ awaited: Set<NodeName>, until deadline: LocalTime) async {
        let alarm = Alarm(clock: clock)
        let number = joinWaiters.add(alarm)
        defer { joinWaiters.remove(number) }
        while !awaited.isSubset(of: nodes.connected), clock.now() < deadline { await alarm.wait(until: deadline) }
    }

    /// Wakes those that wait for nodes to connect.
    func wakeJoinWaiters() { joinWaiters.ring() }

    /// Whether a page of a node's inventory was requested.
    func expects(_ page: InventoryPage, of node: NodeName) -> Bool { nodes.expectsPage(of: node, after: page.after) }

    /// Continues with captures that a hello did not list, after those that it listed.
    func beginBacklog(of node: NodeName, _ page: BacklogPage) async {
        await carryOut(nodes.beginBacklog(of: node, page, at: clock.now()), of: node)
    }

    /// Notes that the files of a requested page are being collected.
    func received(_ page: BacklogPage, of node: NodeName, after: CaptureKey?) async {
        await carryOut(nodes.received(page, of: node, after: after, at: clock.now()), of: node)
    }

    /// Notes that a file is to be fetched.
    func noteCollect(_ key: FileKey) { nodes.collects(key, at: clock.now()) }

    /// - Parameter problem: Why the file was given up; nil if the library has it. A file that cannot succeed, such as
    ///   one with wrong bytes, is not requested again before the node's next hello.
    func noteEnd(of key: FileKey, _ problem: RigProblem? = nil) async {
        let actions = nodes.ended(key, isLeftBehind: problem?.mayPass ?? false, at: clock.now())
        await carryOut(actions, of: key.capture.device.node)
    }

    /// Applies the passing of time to every connected node's backlog.
    private func watchBacklogs() async {
        for node in nodes.withBacklog { await carryOut(nodes.backlogTimePassed(of: node, at: clock.now()), of: node) }
    }

    // MARK: The feed

    /// Writes the persistent part of the roster. A failure is logged, and the next change tries again.
    func saveRoster() async {
        do {
            try await rosterStore.replace(with: roster.devices.map(\.description))
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
        links?.publish(eventLog.append(event))
    }
}
