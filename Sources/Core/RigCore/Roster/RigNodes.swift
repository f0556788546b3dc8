import CaptureModel
import ControlMessages
import Logging
import StorageKit

/// The nodes of the rig: the roster, and how far the coordinator's dialog with each node has come.
///
/// | event | roster | batches of events | acknowledgements | backlog |
/// |---|---|---|---|---|
/// | hello accepted | the node is connected | any batch may be the first | – | begins with the pages of the hello |
/// | silent for too long | its devices are unreachable | – | – | – |
/// | gone, and not back | a node without devices is removed | forgotten | forgotten | forgotten with its node |
/// | events were lost before they were durable | – | begin again, for connected nodes | forgotten | – |
///
/// Without a clock or a socket. Belongs to one actor, and runs on it: ``Rig`` carries out what its methods return.
final class RigNodes {
    /// What became of a hello.
    enum Verdict: Sendable {
        /// - Parameters:
        ///   - hasRestarted: Another run of the agent was connected before.
        ///   - rosterChanged: The persistent part of the roster is to be written.
        case accepted(hasRestarted: Bool, rosterChanged: Bool, JoinNoticeLimiter.Notice?)
        case refused(RigProblem, JoinNoticeLimiter.Notice?)
    }

    /// What is kept for a node's next message.
    private struct Dialog: Sendable {
        /// The position in the events of a connected node after its hello.
        var cursor: EventCursor?
        /// Events that are not acknowledged yet.
        var acknowledgements: PendingAcknowledgements?
        /// How far its spool has been collected.
        var backlog: Backlog?
        /// When it last joined, on the wall clock, milliseconds since 1970.
        var joinedMilliseconds: Int64?
    }

    private let rigClock: RigClockID
    private let timeout: Duration
    private let store: any DocumentStore<[DeviceDescription]>
    private let log: Logger
    private var known: Roster
    /// Bounded by the roster, as all nodes that speak are in it.
    private var dialogs: [NodeName: Dialog] = [:]
    /// Joins and refusals that are to be announced.
    private var notices = JoinNoticeLimiter()
    /// Wake those that wait for nodes to connect. Bounded by the settings transactions in progress.
    private var waiters = AlarmList()

    /// - Parameters:
    ///   - rigClock: The time line of the rig. Instants of others are not comparable.
    ///   - timeout: How long a node may be silent.
    ///   - store: What keeps the persistent part of the roster.
    init(
        _ roster: Roster, in store: any DocumentStore<[DeviceDescription]>, on rigClock: RigClockID, timeout: Duration,
        log: Logger
    ) {
        known = roster
        self.store = store
        self.log = log
        self.rigClock = rigClock
        self.timeout = timeout
    }

    /// All nodes and devices, connected or not.
    var roster: Roster { known }

    /// The nodes whose agent is connected.
    var connected: Set<NodeName> { Set(known.nodes.filter { $0.value.agent != nil }.map(\.key)) }

    func isConnected(_ node: NodeName) -> Bool { known.nodes[node]?.agent != nil }

    /// When a node last joined in this run, on the wall clock, milliseconds since 1970; nil if it has not.
    func joinedMilliseconds(of node: NodeName) -> Int64? { dialogs[node]?.joinedMilliseconds }

    /// Writes the persistent part of the roster. A failure is logged, and the next change tries again.
    func saveRoster() async {
        do throws(StorageError) {
            try await store.replace(with: known.devices.map(\.description))
        } catch {
            log.error("the roster cannot be written", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: Membership

    /// Admits or refuses an agent.
    /// - Parameter realtimeMilliseconds: The present on the wall clock.
    func hello(
        _ hello: NodeHello, from node: NodeName, epoch: Epoch, at now: LocalTime, realtimeMilliseconds: Int64
    ) -> Verdict {
        let verdict = known.hello(
            from: node, agent: ConnectedAgent(hello, epoch: epoch), devices: devices(hello.devices, by: hello.rigClock),
            at: now, timeout: timeout)
        switch verdict {
        case .refused(let problem): return .refused(problem, notices.refused(node, epoch, problem, at: now))
        case .accepted(let isNew, let hasRestarted, let rosterChanged):
            dialogs[node, default: Dialog()].cursor = EventCursor()
            dialogs[node]?.joinedMilliseconds = realtimeMilliseconds
            let notice = isNew ? notices.joined(node, devices: hello.devices.count, at: now) : nil
            return .accepted(hasRestarted: hasRestarted, rosterChanged: rosterChanged, notice)
        }
    }

    /// Waits until nodes are connected and ``wakeWaiters()`` says so, at the latest until the deadline.
    func wait(for awaited: Set<NodeName>, until deadline: LocalTime, on clock: any TimeSource) async {
        let alarm = Alarm(clock: clock)
        let number = waiters.add(alarm)
        defer { waiters.remove(number) }
        while !awaited.isSubset(of: connected), clock.now() < deadline { await alarm.wait(until: deadline) }
    }

    /// The number of those that wait for nodes to connect.
    var waiterCount: Int { waiters.count }

    /// Wakes those that wait for nodes to connect, when a node that has joined can be told what they want.
    func wakeWaiters() { waiters.ring() }

    /// Notes a sign of life.
    /// - Returns: false if another run of the node has connected since.
    func heard(from node: NodeName, epoch: Epoch, at now: LocalTime) -> Bool {
        known.heard(from: node, epoch: epoch, at: now)
    }

    /// Notes the status of a node.
    /// - Returns: The devices whose state has changed.
    func heartbeat(_ heartbeat: NodeHeartbeat, from node: NodeName) -> [RosterDevice] {
        let isSynchronized = isOnTimeLine(heartbeat.rigClock)
        known.updateAgent(of: node) { agent in
            agent.rigClock = heartbeat.rigClock
            agent.clockBound = isSynchronized ? heartbeat.clockBound : nil
            agent.clock = isSynchronized ? heartbeat.clock : nil
            agent.ringDepth = heartbeat.ringDepth
            agent.spoolUsedBytes = heartbeat.spoolUsedBytes
            agent.spoolFreeBytes = heartbeat.spoolFreeBytes
            agent.frames = heartbeat.frames
            agent.pressure = heartbeat.pressure
            agent.spoolShortage = heartbeat.spoolShortage
        }
        return update(heartbeat.devices, of: node)
    }

    /// Updates the roster with a node's list of its devices. An empty list means that nothing has changed.
    /// - Returns: The devices whose state has changed.
    func update(_ statuses: [DeviceStatus], of node: NodeName) -> [RosterDevice] {
        known.update(node, devices: devices(statuses, by: known.nodes[node]?.agent?.rigClock))
    }

    /// Marks as unreachable every node that has been silent for too long.
    /// - Returns: The nodes that have just gone.
    func expire(at now: LocalTime) -> [NodeName] { known.expire(at: now, timeout: timeout) }

    /// Drops what is kept for the next message of a node that has gone, unless it is back. For a node that is not in the roster, drops
    /// everything.
    /// - Returns: Whether the roster does not have the node.
    func forgetDialog(with node: NodeName) -> Bool {
        guard !isConnected(node) else { return false }
        dialogs[node]?.cursor = nil
        dialogs[node]?.acknowledgements = nil
        guard known.nodes[node] == nil else { return false }
        dialogs[node] = nil
        return true
    }

    /// Removes devices, as ``Roster/forget(_:)``.
    func forget(_ devices: [DeviceID]) throws(RigProblem) -> [DeviceID] { try known.forget(devices) }

    /// Returns the joins and refusals that were held back and are due.
    func dueNotices(at now: LocalTime) -> [JoinNoticeLimiter.Notice] { notices.due(at: now) }

    /// Whether instants of an agent are on this rig's time line. After a restart of this machine, an agent that was
    /// connected before tells those of the earlier line until its next probe has returned.
    private func isOnTimeLine(_ line: RigClockID?) -> Bool { line.map { $0 == rigClock } ?? true }

    /// Returns the devices of an agent, without phases of another time line.
    private func devices(_ statuses: [DeviceStatus], by line: RigClockID?) -> [RosterDevice] {
        let isSynchronized = isOnTimeLine(line)
        return statuses.map { status in
            var condition = status.condition
            if !isSynchronized { condition.phase = nil }
            return RosterDevice(description: status.device, condition: condition)
        }
    }

    // MARK: Events

    /// Notes a batch of events that has arrived.
    /// - Returns: false if an earlier batch is missing; the batch must not be accepted then.
    func follows(_ batch: EventBatch, from node: NodeName) -> Bool {
        dialogs[node, default: Dialog()].cursor.follows(batch)
    }

    /// Notes that a batch is on the feed up to `sequence`.
    func published(_ batch: EventBatch, from node: NodeName, through sequence: UInt64) {
        dialogs[node, default: Dialog()].acknowledgements.add(
            batch.entries.map(\.position), publishedThrough: sequence)
    }

    /// Returns the acknowledgements to send to a node when the journal has everything up to `sequence`.
    func dueAcknowledgements(of node: NodeName, journaledThrough sequence: UInt64) -> [EventPosition] {
        dialogs[node]?.acknowledgements?.removeDue(journaledThrough: sequence) ?? []
    }

    /// Begins again with the events of every connected node, because some were lost before they were durable. Batches in flight follow one
    /// that no longer counts, so they are not accepted.
    /// - Returns: The nodes, which are to say hello again.
    func restartEvents() -> [NodeName] {
        for node in dialogs.keys { dialogs[node]?.acknowledgements = nil }
        let nodes = connected.sorted()
        for node in nodes { dialogs[node, default: Dialog()].cursor = EventCursor() }
        return nodes
    }

    // MARK: Backlogs

    /// Whether a page of a node's inventory was requested.
    func expectsPage(of node: NodeName, after: CaptureKey?) -> Bool { dialogs[node]?.backlog?.expects(after) == true }

    /// Continues with captures that a hello did not list, after those that it listed.
    func beginBacklog(of node: NodeName, _ page: BacklogPage, at now: LocalTime) -> [Backlog.Action] {
        change(backlogOf: node, at: now) { $0.begin(page, at: now) }
    }

    /// Accepts a requested page of a node's inventory.
    func received(
        _ page: BacklogPage, of node: NodeName, after: CaptureKey?, at now: LocalTime
    ) -> [Backlog.Action] {
        change(backlogOf: node, at: now) { $0.received(page, after: after, at: now) }
    }

    /// Notes that a file is to be fetched.
    func collects(_ key: FileKey, at now: LocalTime) {
        _ = change(backlogOf: key.capture.device.node, at: now) { backlog in
            backlog.began(key)
            return []
        }
    }

    /// Notes that a file is durable in the library or was given up.
    /// - Parameter isLeftBehind: Whether the file was given up and may still be available later.
    func ended(_ key: FileKey, isLeftBehind: Bool, at now: LocalTime) -> [Backlog.Action] {
        let node = key.capture.device.node
        guard dialogs[node]?.backlog != nil else { return [] }
        return change(backlogOf: node, at: now) { $0.ended(key, isLeftBehind: isLeftBehind, at: now) }
    }

    /// The connected nodes that have a backlog.
    var withBacklog: [NodeName] {
        dialogs.filter { $0.value.backlog != nil && isConnected($0.key) }.map(\.key).sorted()
    }

    /// Applies the passing of time to a node's backlog.
    func backlogTimePassed(of node: NodeName, at now: LocalTime) -> [Backlog.Action] {
        guard dialogs[node]?.backlog != nil, isConnected(node) else { return [] }
        return change(backlogOf: node, at: now) { $0.timePassed(at: now) }
    }

    private func change(
        backlogOf node: NodeName, at now: LocalTime, _ body: (inout Backlog) -> [Backlog.Action]
    ) -> [Backlog.Action] {
        var backlog = dialogs[node]?.backlog ?? Backlog(at: now)
        let actions = body(&backlog)
        dialogs[node, default: Dialog()].backlog = backlog
        return actions
    }
}

extension EventCursor? {
    /// As ``EventCursor/follows(_:)``; nil is a cursor that has seen nothing.
    fileprivate mutating func follows(_ batch: EventBatch) -> Bool {
        var cursor = self ?? EventCursor()
        defer { self = cursor }
        return cursor.follows(batch)
    }
}

extension PendingAcknowledgements? {
    fileprivate mutating func add(_ events: [EventPosition], publishedThrough sequence: UInt64) {
        var pending = self ?? PendingAcknowledgements()
        pending.add(events, publishedThrough: sequence)
        self = pending
    }
}
