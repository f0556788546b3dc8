import CaptureModel
import FaultPoints
import Logging
import Spool

/// The node as a member of its rig: joins, keeps the membership alive, and carries out what the coordinator asks. It goes on
/// joining for ever; cameras go on without it.
///
/// ```
///  channel ──accept──▶ signs of life, at once
///                 ├──▶ fires, device requests ──▶ each a task of its own: a shot is long, and so may be a camera's start
///                 └──▶ everything else ──in order──▶ carried out; arming goes on beside it
/// ```
///
/// What it says leaves by a ``CoordinatorConnection``.
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
    private let joined: @Sendable (JoinedCoordinator) async -> Void
    private(set) var membership: Membership
    /// Requests about devices, so that none is carried out twice.
    var requests = DeviceRequestLog()
    var arming = CapturesBeingArmed()
    /// Whether the agent is about to end and takes on no further shot.
    var isShuttingDown = false
    /// Whether the devices are being listed for a message, and who waits to list them for another; bounded by the requests
    /// carried out at a time.
    private var isListing = false
    private var listers: [CheckedContinuation<Void, Never>] = []
    /// Why the coordinator has refused this node, until it welcomes it.
    private var refusal: CaptureProblem?
    private var lastStatuses: [DeviceStatus] = []
    private var statusesSent: LocalTime?
    /// Messages that were not carried out.
    private(set) var dropped = DroppedMessages()

    private struct Message: Sendable {
        var content: CoordinatorMessage
        var header: MessageHeader
    }

    /// Messages that may wait to be carried out, of each kind; more are dropped and counted.
    private static let waitingLimit = 4096
    private let ordered = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingOldest(waitingLimit))
    private let concurrent = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingOldest(waitingLimit))

    /// - Parameter joined: Told of every welcome, so that the other channels follow.
    init(
        identity: AgentIdentity, node: CaptureNode, events: NodeEvents, spool: Spool, rigClock: any RigTimeSource,
        health: NodeHealth, connection: any CoordinatorConnection, clock: any TimeSource, log: Logger,
        joined: @escaping @Sendable (JoinedCoordinator) async -> Void
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
        membership = Membership(at: clock.now())
    }

    /// Serves until the task is cancelled. Once.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepMembership() }
            group.addTask { await self.publishEvents() }
            group.addTask { await self.carryOutInOrder() }
            for await message in concurrent.stream { group.addTask { await self.carryOut(message) } }
            group.cancelAll()
        }
    }

    /// A connection to the coordinator stands.
    package func connected() async {
        membership.connected(at: clock.now())
        await tick()
    }

    /// Something has come from a coordinator.
    package func noteLife(_ header: MessageHeader) {
        membership.noticedLife()
        guard header.isForThisLife, let epoch = header.coordinator else { return }
        _ = membership.heard(from: epoch, at: clock.now())
    }

    /// Has a message carried out; returns at once.
    package func accept(_ content: CoordinatorMessage, _ header: MessageHeader) {
        noteLife(header)
        let queue: AsyncStream<Message>.Continuation
        switch content {
        case .fire, .deviceRequest:
            guard admits(header) else { return }
            queue = concurrent.continuation
        default:
            queue = ordered.continuation
        }
        if case .dropped = queue.yield(Message(content: content, header: header)) {
            drop(.unexpected, "more messages than may wait")
        }
    }

    /// Whether a message is from the coordinator this agent has joined and meant for this life of it.
    private func admits(_ header: MessageHeader) -> Bool {
        guard header.isForThisLife, let epoch = header.coordinator, membership.heard(from: epoch, at: clock.now())
        else {
            drop(.oldEpoch, "a message of coordinator epoch \(header.coordinator?.description ?? "0")")
            return false
        }
        return true
    }

    private func carryOut(_ message: Message) async {
        switch message.content {
        case .fire(let order): await carryOut(order)
        case .deviceRequest(let request):
            if let coordinator = message.header.coordinator { await carryOut(request, from: coordinator) }
        default: break
        }
    }

    /// Carries out what is short; what waits for cameras goes on beside it, so that none holds up the others.
    private func carryOutInOrder() async {
        await withDiscardingTaskGroup { group in
            for await message in ordered.stream {
                await MemberFault.work.reached()
                for request in await handle(message) { group.addTask { await self.carryOut(request) } }
            }
            group.cancelAll()
        }
    }

    /// - Returns: What is left to be done, and takes as long as a camera does.
    private func handle(_ message: Message) async -> [ArmingRequest] {
        let header = message.header
        switch message.content {
        case .helloRequired:
            membership.helloRequired(at: clock.now())
            await tick()
            return []
        case .welcome(let coordinator) where header.isForThisLife:
            if let epoch = header.coordinator { await accept(coordinator, epoch) }
            return []
        case .refused(let problem) where header.isForThisLife:
            note(refusal: problem)
            return []
        default:
            return admits(header) ? await carryOut(message.content) : []
        }
    }

    private func carryOut(_ content: CoordinatorMessage) async -> [ArmingRequest] {
        switch content {
        case .prepare(let order): return await accept(order)
        case .cancel(let shot, let devices): await cancel(shot, devices)
        case .acknowledge(let epoch, let sequence): events.acknowledge(epoch, through: sequence)
        case .listInventory(let after): await send(.inventory(await inventory(after: after)))
        case .heartbeatAcknowledged, .helloRequired, .welcome, .refused, .fire, .deviceRequest: break
        }
        return []
    }

    /// The agent goes on asking, and each time it may be told the same.
    private func note(refusal problem: CaptureProblem) {
        if refusal != problem {
            log.error("the coordinator refuses this node", metadata: ["reason": "\(problem.message)"])
        }
        refusal = problem
        membership.refused(problem, at: clock.now())
    }

    private func accept(_ coordinator: JoinedCoordinator, _ epoch: Epoch) async {
        let isNew = membership.coordinator != epoch
        // Before the first event can be sent to it: what an earlier life of the coordinator was sent is sent again.
        await events.rewind()
        membership.welcomed(
            by: epoch, interval: coordinator.heartbeatInterval, timeout: coordinator.heartbeatTimeout, at: clock.now())
        // Not before: who publishes them looks only once whether there is a coordinator.
        events.wake()
        if isNew { log.info("joined the rig", metadata: ["coordinator.epoch": "\(epoch)"]) }
        statusesSent = nil
        refusal = nil
        await joined(coordinator)
    }

    private func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("control messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }

    private func keepMembership() async {
        while !Task.isCancelled {
            await tick()
            // A change of state moves the next tick, at most by the shortest of the intervals.
            let next = min(membership.nextTick, clock.now() + .milliseconds(250))
            await MemberFault.tick.reached()
            do { try await clock.sleep(until: next) } catch { return }
        }
    }

    private func tick() async {
        let tick = membership.tick(at: clock.now())
        if tick.isUnreachable { log.warning("the coordinator is unreachable; joining goes on") }
        if tick.isSilent { await connection.reconnect() }
        switch tick.action {
        case .hello: await listing { await self.greet() }
        case .heartbeat(let sequence):
            await listing { await self.send(.heartbeat(await self.heartbeat(sequence)), mayWait: false) }
        case nil: break
        }
    }

    private func greet() async {
        if await send(.hello(await hello()), mayWait: false) { membership.helloSent(at: clock.now()) }
    }

    /// Has a message made and sent that lists the devices, one at a time: else one that was made before another, and
    /// sent after it, would take back what that one told.
    func listing(_ send: @Sendable () async -> Void) async {
        if isListing { await withCheckedContinuation { listers.append($0) } }
        isListing = true
        await send()
        // Whoever is next finds it listing still, so that nobody comes between.
        if listers.isEmpty { isListing = false } else { listers.removeFirst().resume() }
    }

    private func hello() async -> NodeHello {
        let devices = await node.statuses()
        let reach = await node.ringReach()
        // Last, so that little is told of that it does not list.
        return NodeHello(devices: devices, ringReach: reach, inventory: await inventory(after: nil))
    }

    private func inventory(after: CaptureKey?) async -> InventoryPage {
        let listed = await spool.inventory(after: after, limit: SpoolRequests.pageLimit)
        return InventoryPage(after: after, captures: listed.captures, hasMore: listed.hasMore)
    }

    private func heartbeat(_ sequence: UInt64) async -> NodeHeartbeat {
        let statuses = await node.statuses()
        let isDue = statusesSent.map { clock.now() - $0 >= .seconds(1) } ?? true
        let tells =
            isDue || !statuses.map(\.condition.state).elementsEqual(lastStatuses.map(\.condition.state))
        if tells { (lastStatuses, statusesSent) = (statuses, clock.now()) }
        return NodeHeartbeat(
            sequence: sequence, devices: tells ? statuses : nil,
            clockBoundNanoseconds: rigClock.rigTime(at: clock.now())?.boundNanoseconds,
            ringReach: await node.ringReach(), health: health.now)
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
