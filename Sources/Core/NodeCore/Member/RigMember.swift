import CaptureModel
package import ControlMessages
import FaultPoints
import Logging
import Spool

/// The node as a member of its rig. It joins, keeps the membership alive, and carries out what the coordinator
/// requests. It retries joining indefinitely; cameras continue without it.
///
/// ```
///  channel ──accept──▶ signs of life, at once
///                 ├──▶ fires, device requests ──▶ a task each: a shot is long, and so may be a camera's start
///                 └──▶ everything else ──in order──▶ carried out; arming runs concurrently
/// ```
///
/// Its messages leave through a ``CoordinatorConnection``.
package actor RigMember {
    let identity: AgentIdentity
    let node: CaptureNode
    let spoolRequests: SpoolRequests
    private let connection: any CoordinatorConnection
    private let events: NodeEvents
    private let spool: Spool
    private let rigClock: any RigTimeSource
    private let clock: any TimeSource
    private let log: Logger
    private let health: NodeHealth
    private let joined: @Sendable (Welcome) async -> Void
    private let admitted: @Sendable (AdmittedViewers) async -> Void
    private(set) var membership: Membership
    /// The run of the coordinator that has had settings prepared; nil before the first welcome.
    private var preparer: Epoch?
    /// Requests about devices, so that none is carried out twice.
    var requests = DeviceRequestLog()
    var arming = CapturesBeingArmed()
    /// Whether the agent is about to end and refuses further shots.
    var isShuttingDown = false
    /// Whether the devices are being listed for a message, and the tasks that wait to list them for another one.
    /// Bounded by the number of requests carried out at a time.
    private var isListing = false
    private var listers: [CheckedContinuation<Void, Never>] = []
    /// The reason of the coordinator's refusal, until it welcomes this node.
    private var refusal: RigProblem?
    private var lastStatuses: [DeviceStatus] = []
    private var statusesSent: LocalTime?
    /// Messages that were not carried out.
    private(set) var dropped = DroppedMessages()

    private struct Message: Sendable {
        var content: CoordinatorMessage
        var header: MessageHeader
    }

    /// Number of messages of each kind that may wait to be carried out. More are dropped and counted.
    private static let waitingLimit = 4096
    private let ordered = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingOldest(waitingLimit))
    private let concurrent = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingOldest(waitingLimit))

    /// - Parameters:
    ///   - joined: Called for every welcome, so that the other channels follow.
    ///   - admitted: Called with every list of the keys that may watch.
    init(
        identity: AgentIdentity, node: CaptureNode, events: NodeEvents, spool: Spool, rigClock: any RigTimeSource,
        health: NodeHealth, connection: any CoordinatorConnection, clock: any TimeSource, log: Logger,
        joined: @escaping @Sendable (Welcome) async -> Void,
        admitted: @escaping @Sendable (AdmittedViewers) async -> Void
    ) {
        self.identity = identity
        self.node = node
        spoolRequests = SpoolRequests(node: identity.node, spool: spool, events: events)
        self.connection = connection
        self.events = events
        self.spool = spool
        self.rigClock = rigClock
        self.health = health
        self.clock = clock
        self.log = log
        self.joined = joined
        self.admitted = admitted
        membership = Membership(at: clock.now())
    }

    /// Serves until the task is cancelled. Call it once.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepMembership() }
            group.addTask { await self.publishEvents() }
            group.addTask { await self.carryOutInOrder() }
            for await message in concurrent.stream { group.addTask { await self.carryOut(message) } }
            group.cancelAll()
        }
    }

    /// Publishes changes of what can be requested of the cameras, until the task is cancelled. Call it once.
    package func watchAbilities() async {
        await AbilityWatch(node: node, events: events, clock: clock).run()
    }

    /// Notes that a connection to the coordinator is established.
    package func connected() async {
        membership.connected(at: clock.now())
        await tick()
    }

    /// Notes that something arrived from a coordinator.
    package func noteLife(_ header: MessageHeader) {
        membership.noticedLife()
        guard header.isForThisLife, let epoch = header.coordinator else { return }
        _ = membership.heard(from: epoch, at: clock.now())
    }

    /// Queues a message to be carried out; returns at once.
    package func accept(_ content: CoordinatorMessage, _ header: MessageHeader) {
        noteLife(header)
        let queue: AsyncStream<Message>.Continuation
        switch content {
        case .order(.fire), .order(.deviceRequest):
            // Otherwise the welcome of its coordinator may still wait in the other queue.
            queue = isOfCoordinator(header) ? concurrent.continuation : ordered.continuation
        default:
            queue = ordered.continuation
        }
        enqueue(Message(content: content, header: header), in: queue)
    }

    private func enqueue(_ message: Message, in queue: AsyncStream<Message>.Continuation) {
        if case .dropped = queue.yield(message) { drop(.unexpected, "too many messages are waiting") }
    }

    /// Returns whether a message is from the coordinator that this agent has joined, and meant for this run of the
    /// agent.
    private func isOfCoordinator(_ header: MessageHeader) -> Bool {
        guard header.isForThisLife, let epoch = header.coordinator else { return false }
        return membership.heard(from: epoch, at: clock.now())
    }

    private func admits(_ header: MessageHeader) -> Bool {
        if isOfCoordinator(header) { return true }
        drop(.oldEpoch, "a message of coordinator epoch \(header.coordinator?.description ?? "0")")
        return false
    }

    private func carryOut(_ message: Message) async {
        switch message.content {
        case .order(.fire(let order)): await carryOut(order)
        case .order(.deviceRequest(let request)):
            if let coordinator = message.header.coordinator { await carryOut(request, from: coordinator) }
        default: break
        }
    }

    /// Carries out short work in order. Work that waits for cameras runs concurrently, so that no camera delays the
    /// others.
    private func carryOutInOrder() async {
        await withDiscardingTaskGroup { group in
            for await message in ordered.stream {
                await MemberFault.work.reached()
                for request in await handle(message) { group.addTask { await self.carryOut(request) } }
            }
            group.cancelAll()
        }
    }

    /// - Returns: The remaining work, which takes as long as a camera does.
    private func handle(_ message: Message) async -> [ArmingRequest] {
        let header = message.header
        switch message.content {
        case .order(.helloRequired):
            membership.helloRequired(at: clock.now())
            await tick()
            return []
        case .welcome(let welcome) where header.isForThisLife:
            if let epoch = header.coordinator { await accept(welcome, from: epoch) }
            return []
        case .refused(let problem) where header.isForThisLife:
            note(refusal: problem)
            return []
        case .order(.fire), .order(.deviceRequest):
            if admits(header) { enqueue(message, in: concurrent.continuation) }
            return []
        default:
            return admits(header) ? await carryOut(message.content) : []
        }
    }

    private func carryOut(_ content: CoordinatorMessage) async -> [ArmingRequest] {
        switch content {
        case .order(let order): return await carryOut(order)
        case .viewers(let viewers): await admitted(viewers)
        case .heartbeatAcknowledged, .welcome, .refused, .coordinatorKey: break
        }
        return []
    }

    private func carryOut(_ order: NodeOrder) async -> [ArmingRequest] {
        switch order {
        case .prepare(let order): return await accept(order)
        case .cancel(let shot, let devices): await cancel(shot, devices)
        case .acknowledgeEvents(let position): events.acknowledge(position.epoch, through: position.sequence)
        case .listInventory(let after): await send(.inventory(await inventory(after: after)))
        case .helloRequired, .fire, .deviceRequest: break
        }
        return []
    }

    /// Notes a refusal. The agent keeps asking, and may get the same refusal each time, so the log reports a changed
    /// reason only.
    private func note(refusal problem: RigProblem) {
        if refusal != problem {
            log.error("the coordinator refuses this node", metadata: ["reason": "\(problem.message)"])
        }
        refusal = problem
        membership.refused(problem, at: clock.now())
    }

    private func accept(_ welcome: Welcome, from epoch: Epoch) async {
        let isNew = membership.coordinator != epoch
        // Before any request of this run is admitted.
        if let preparer, preparer != epoch { await node.dropPreparedSettings() }
        preparer = epoch
        // Before the first event can be sent to it: events that an earlier run of the coordinator received are sent
        // again.
        await events.rewind()
        membership.welcomed(
            by: epoch, interval: welcome.heartbeatInterval, timeout: welcome.heartbeatTimeout, at: clock.now())
        // Not before: the publisher checks only once whether there is a coordinator.
        events.wake()
        if isNew { log.info("joined the rig", metadata: ["coordinator.epoch": "\(epoch)"]) }
        statusesSent = nil
        refusal = nil
        await joined(welcome)
    }

    private func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("control messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }

    private func keepMembership() async {
        while !Task.isCancelled {
            await tick()
            // A change of state moves the next tick by at most the shortest of the intervals.
            let next = min(membership.nextTick, clock.now() + .milliseconds(250))
            await MemberFault.tick.reached()
            do { try await clock.sleep(until: next) } catch { return }
        }
    }

    private func tick() async {
        let tick = membership.tick(at: clock.now())
        if tick.isUnreachable { log.warning("the coordinator is unreachable; the agent keeps trying to join") }
        if tick.isSilent { await connection.reconnect() }
        switch tick.action {
        case .hello: await listing { await self.sayHello() }
        case .heartbeat(let sequence):
            await listing { await self.send(.heartbeat(await self.heartbeat(sequence)), mayWait: false) }
        case nil: break
        }
    }

    private func sayHello() async {
        if await send(.hello(await hello()), mayWait: false) { membership.helloSent(at: clock.now()) }
    }

    /// Makes and sends a message that lists the devices, one at a time. Otherwise a list that was made before another
    /// one and sent after it would overwrite newer conditions.
    func listing(_ send: @Sendable () async -> Void) async {
        if isListing { await withCheckedContinuation { listers.append($0) } }
        isListing = true
        await send()
        // `isListing` stays true for the next waiter, so that no other task gets in between.
        if listers.isEmpty { isListing = false } else { listers.removeFirst().resume() }
    }

    private func hello() async -> NodeHello {
        // Read before what depends on it: of a change in between, the coordinator learns with the next heartbeat.
        let rigClock = rigClock.clockID
        let devices = await node.statuses()
        let depth = await node.ringDepth()
        // Last, so that events of captures that the inventory does not list are rare.
        return NodeHello(
            software: identity.software, bootID: identity.bootID, devices: devices, rigClock: rigClock,
            ringDepth: depth, inventory: await inventory(after: nil))
    }

    private func inventory(after: CaptureKey?) async -> InventoryPage {
        let listed = await spool.inventory(after: after, limit: SpoolRequests.pageLimit)
        return InventoryPage(after: after, captures: listed.captures, hasMore: listed.hasMore)
    }

    private func heartbeat(_ sequence: UInt64) async -> NodeHeartbeat {
        let clockID = rigClock.clockID
        let statuses = await node.statuses()
        let isDue = statusesSent.map { clock.now() - $0 >= .seconds(1) } ?? true
        let tells =
            isDue || !statuses.map(\.condition.state).elementsEqual(lastStatuses.map(\.condition.state))
        if tells { (lastStatuses, statusesSent) = (statuses, clock.now()) }
        let (bound, status) = (rigClock.rigTime(at: clock.now())?.bound, rigClock.status)
        let depth = await node.ringDepth()
        let health = health.now
        return NodeHeartbeat(
            sequence: sequence, devices: tells ? statuses : [], rigClock: clockID, clockBound: bound, clock: status,
            ringDepth: depth, spoolUsedBytes: health.spool.map { $0.storedBytes + $0.reservedBytes } ?? 0,
            spoolFreeBytes: health.spool?.availableBytes ?? 0, pressure: health.pressure,
            spoolShortage: health.spoolShortage)
    }

    private func publishEvents() async {
        for await _ in events.appended {
            await MemberFault.events.reached()
            while membership.coordinator != nil, let batch = await events.nextBatch() {
                if await send(.events(batch)) { continue }
                do { try await clock.sleep(for: .milliseconds(250)) } catch { return }
                await events.rewind()
                events.wake()
                break
            }
        }
    }

    @discardableResult
    package func send(_ message: NodeMessage, mayWait: Bool = true) async -> Bool {
        await connection.send(message, to: membership.coordinator, mayWait: mayWait)
    }
}
