import CaptureModel
import FaultPoints
import Logging
import RigProtocol
import RigWire
import Spool
import ZeroMQ

/// The agent's end of the control channel: joins the rig, keeps the membership alive, and carries out what the
/// coordinator asks. It reconnects by itself for ever; cameras go on without it.
actor ControlLink {
    private let socket: DealerSocket
    let identity: AgentIdentity
    let node: CaptureNode
    let spoolRequests: SpoolRequests
    private let events: NodeEvents
    private let spool: Spool
    private let rigClock: any RigTimeSource
    private let clock: any TimeSource
    private let log: Logger
    private let health: NodeHealth
    private let framesStatus: @Sendable (_ localAddress: String?) -> FramesStatus?
    private let joined: @Sendable (JoinedCoordinator) async -> Void
    private(set) var membership: Membership
    /// Requests about devices, so that none is carried out twice.
    var orders = DeviceOrderLog()
    /// Cameras that are being armed.
    var lanes = CaptureLanes()
    /// Whether the agent is about to end and takes on no further shot.
    var isEnding = false
    /// Whether the devices are being listed for a message, and who waits to list them for another; bounded by the orders
    /// carried out at a time.
    private var isListing = false
    private var listers: [CheckedContinuation<Void, Never>] = []
    /// Why the coordinator has refused this node, until it welcomes it.
    private var refusal: CaptureProblem?
    private var lastStatuses: [DeviceStatus] = []
    private var statusesSent: LocalTime?
    private let lane = SendLane<Message>()
    /// Messages of the coordinator that may wait to be carried out; more are dropped and counted.
    private static let workLimit = 4096
    private(set) var dropped = DroppedMessages()

    /// - Parameters:
    ///   - framesStatus: The frames channel as it is, by this end's address of the connection to the coordinator; nil where
    ///     there is none.
    ///   - joined: Told of every welcome, so that the other channels follow.
    init(
        socket: DealerSocket, identity: AgentIdentity, node: CaptureNode, events: NodeEvents, spool: Spool,
        rigClock: any RigTimeSource, health: NodeHealth, clock: any TimeSource, log: Logger,
        framesStatus: @escaping @Sendable (_ localAddress: String?) -> FramesStatus?,
        joined: @escaping @Sendable (JoinedCoordinator) async -> Void
    ) {
        self.socket = socket
        self.identity = identity
        self.node = node
        spoolRequests = SpoolRequests(node: identity.node, spool: spool, events: events)
        self.events = events
        self.spool = spool
        self.rigClock = rigClock
        self.health = health
        self.clock = clock
        self.log = log
        self.framesStatus = framesStatus
        self.joined = joined
        membership = Membership(at: clock.now())
    }

    /// Serves until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepMembership() }
            group.addTask { await self.publishEvents() }
            group.addTask { await self.greetEachConnection() }
            // Signs of life are read at once, whatever the disk is doing; what is asked is looked at in order.
            let (work, order) = AsyncStream.makeStream(
                of: WireCoordinatorMessage.self, bufferingPolicy: .bufferingOldest(Self.workLimit))
            group.addTask { await self.serve(work) }
            while let received = await socket.receive() {
                await ControlWaitFault.received.reached()
                guard let message = decode(received) else { continue }
                noteLife(message)
                switch message.body {
                // A shot is long, and so may be a camera's start; what comes meanwhile is not to wait for them.
                case .fire(let fire):
                    if admits(message) { group.addTask { await self.fire(fire) } }
                case .deviceOrder(let order):
                    guard admits(message), let epoch = Epoch(rawValue: message.epoch) else { continue }
                    group.addTask { await self.carryOut(order, from: epoch) }
                default:
                    if case .dropped = order.yield(message) { drop(.unexpected, "more messages than may wait") }
                }
            }
            order.finish()
            group.cancelAll()
        }
    }

    /// Carries out what is short; what waits for cameras goes on beside it, so that none holds up the others.
    private func serve(_ work: AsyncStream<WireCoordinatorMessage>) async {
        await withDiscardingTaskGroup { group in
            for await message in work {
                await ControlWaitFault.work.reached()
                for errand in await handle(message) { group.addTask { await self.carryOut(errand) } }
            }
            group.cancelAll()
        }
    }

    private func greetEachConnection() async {
        for await event in socket.connectionEvents where event.kind == .handshakeSucceeded {
            membership.connected(at: clock.now())
            await tick()
        }
    }

    private func noteLife(_ message: WireCoordinatorMessage) {
        membership.noticedLife()
        guard message.agentEpoch == identity.epoch.rawValue, let epoch = Epoch(rawValue: message.epoch) else { return }
        _ = membership.heard(from: epoch, at: clock.now())
    }

    private func decode(_ received: ReceivedMessage) -> WireCoordinatorMessage? {
        do {
            guard received.message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
            return try WireCoding.control.decode(WireCoordinatorMessage.self, from: received.message.parts[0].bytes)
        } catch {
            drop(.malformed, "\(error)")
            return nil
        }
    }

    /// Whether a message is from the coordinator this agent has joined and meant for this life of it.
    private func admits(_ message: WireCoordinatorMessage) -> Bool {
        guard message.agentEpoch == identity.epoch.rawValue, let epoch = Epoch(rawValue: message.epoch),
            membership.heard(from: epoch, at: clock.now())
        else {
            drop(.oldEpoch, "a message of coordinator epoch \(message.epoch)")
            return false
        }
        return true
    }

    /// - Returns: What is left to be done, and takes as long as a camera does.
    private func handle(_ message: WireCoordinatorMessage) async -> [ArmingErrand] {
        switch message.body {
        case .helloRequired:
            membership.helloRequired(at: clock.now())
            await tick()
        case .welcome(let welcome) where message.agentEpoch == identity.epoch.rawValue:
            await take(welcome, from: message.epoch)
        case .refused(let refused) where message.agentEpoch == identity.epoch.rawValue:
            noteRefusal(CaptureProblem(wire: refused.problem))
        case .none:
            drop(.unknown, "a message without a body this version knows")
        case let body?:
            if admits(message) { return await carryOut(body) }
        }
        return []
    }

    /// The agent goes on asking, and each time it may be told the same.
    private func noteRefusal(_ problem: CaptureProblem) {
        if refusal != problem {
            log.error("the coordinator refuses this node", metadata: ["reason": "\(problem.message)"])
        }
        refusal = problem
        membership.refused(problem, at: clock.now())
    }

    private func carryOut(_ body: WireCoordinatorMessage.OneOf_Body) async -> [ArmingErrand] {
        do {
            switch body {
            case .prepare(let prepare): return try await take(prepare)
            case .cancel(let cancel): try await take(cancel)
            case .eventAck(let ack):
                guard let epoch = Epoch(rawValue: ack.epoch) else { throw DroppedMessages.Cause.malformed }
                events.acknowledge(epoch, through: ack.sequence)
            case .inventoryRequest(let request):
                await send(.inventory(try await inventory(request)))
            case .heartbeatAck, .welcome, .refused, .helloRequired, .fire, .deviceOrder:
                break
            }
        } catch {
            drop(.malformed, "\(error)")
        }
        return []
    }

    private func fire(_ fire: WireFire) async {
        do {
            let shot = try FieldReader("Fire").shotID(fire.shotID)
            let devices = try fire.devices.prefix(WireLimits.devicesPerNode).map { try DeviceName($0) }
            let stop = fire.hasStopRigNs ? RigTime(nanoseconds: fire.stopRigNs) : nil
            await withDiscardingTaskGroup { group in
                for device in devices {
                    group.addTask {
                        if let stop { await self.node.stop(shot, device, at: stop) }
                        guard let result = await self.node.fire(shot, device) else { return }
                        await self.send(result.wire)
                    }
                }
            }
        } catch {
            drop(.malformed, "\(error)")
        }
    }

    private func take(_ welcome: WireWelcome, from epoch: UInt64) async {
        guard let epoch = Epoch(rawValue: epoch), let coordinator = JoinedCoordinator(welcome) else {
            drop(.malformed, "a welcome with impossible ports or intervals")
            return
        }
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

    func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("control messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }

    private func keepMembership() async {
        while !Task.isCancelled {
            await tick()
            // A change of state moves the next tick, at most by the shortest of the intervals.
            let next = min(membership.nextTick, clock.now() + .milliseconds(250))
            await ControlWaitFault.tick.reached()
            do { try await clock.sleep(until: next) } catch { return }
        }
    }

    private func tick() async {
        let tick = membership.tick(at: clock.now())
        if tick.isUnreachable { log.warning("the coordinator is unreachable; joining goes on") }
        if tick.isSilent {
            do { try await socket.reconnect() } catch {
                log.error("the connection to the coordinator cannot be made anew", metadata: ["reason": "\(error)"])
            }
        }
        switch tick.action {
        case .hello: await listing { await self.greet() }
        case .heartbeat(let sequence):
            await listing { await self.send(.heartbeat(await self.heartbeat(sequence)), queueing: false) }
        case nil: break
        }
    }

    private func greet() async {
        if await send(.hello(await hello()), queueing: false) { membership.helloSent(at: clock.now()) }
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

    private func hello() async -> WireHello {
        var hello = WireHello()
        hello.protocolVersion = AgentIdentity.protocolVersion
        hello.software = identity.software
        hello.bootID = identity.bootID
        hello.busLibrary = BusLibrary.linked.wire
        hello.devices = await node.statuses().map(\.wire)
        hello.ringDepthNs = await node.ringReach().nanoseconds
        if let frames = framesStatus(await socket.localAddress) { hello.frames = frames.wire }
        // Last, so that little is told of that it does not list.
        let inventory = await spool.inventory(limit: WireLimits.inventoryPage)
        hello.inventory = inventory.captures.map(\.wire)
        hello.inventoryTruncated = inventory.hasMore
        return hello
    }

    private func inventory(_ request: WireInventoryRequest) async throws -> WireInventory {
        let after = request.hasAfter ? try CaptureKey(wire: request.after) : nil
        let listed = await spool.inventory(after: after, limit: WireLimits.inventoryPage)
        var inventory = WireInventory()
        if let after { inventory.after = after.wire }
        inventory.captures = listed.captures.map(\.wire)
        inventory.hasMore_p = listed.hasMore
        return inventory
    }

    private func heartbeat(_ sequence: UInt64) async -> WireHeartbeat {
        var heartbeat = WireHeartbeat()
        heartbeat.sequence = sequence
        let statuses = await node.statuses()
        let isDue = statusesSent.map { clock.now() - $0 >= .seconds(1) } ?? true
        if isDue || !statuses.map(\.condition.state).elementsEqual(lastStatuses.map(\.condition.state)) {
            heartbeat.devices = statuses.map(\.wire)
            lastStatuses = statuses
            statusesSent = clock.now()
        }
        if let estimate = rigClock.rigTime(at: clock.now()) { heartbeat.clockBoundNs = estimate.boundNanoseconds }
        heartbeat.ringDepthNs = await node.ringReach().nanoseconds
        let health = health.now
        if let usage = health.spool {
            heartbeat.spoolUsedBytes = usage.storedBytes + usage.reservedBytes
            heartbeat.spoolFreeBytes = usage.availableBytes
        }
        if let pressure = health.pressure { heartbeat.pressure = pressure.wire }
        heartbeat.spoolShortage = health.spoolShortage ?? ""
        if let frames = framesStatus(await socket.localAddress) { heartbeat.frames = frames.wire }
        return heartbeat
    }

    private func publishEvents() async {
        for await _ in events.appended {
            await ControlWaitFault.events.reached()
            while membership.coordinator != nil, let batch = await events.nextBatch() {
                if await send(.events(batch.wire)) { continue }
                do { try await clock.sleep(for: .milliseconds(250)) } catch { return }
                await events.rewind()
                events.wake()
                break
            }
        }
    }

    /// - Parameter queueing: Whether the message may wait for its connection. What is true only for the moment may not:
    ///   an absent coordinator would find all of them when it comes back.
    @discardableResult
    func send(_ body: WireAgentMessage.OneOf_Body, queueing: Bool = true) async -> Bool {
        var message = WireAgentMessage()
        message.node = identity.node.rawValue
        message.epoch = identity.epoch.rawValue
        message.coordinatorEpoch = membership.coordinator?.rawValue ?? 0
        message.body = body
        do {
            let encoded = Message([MessagePart(try WireCoding.control.encode(message))])
            let outcome =
                await lane.pass(encoded, at: ControlSendFault(body)) { message in
                    queueing ? await socket.send(message) : await socket.send { _ in message }
                } ?? .sent
            if queueing, case .refused(let refusal) = outcome { drop(.unsent, "\(refusal)") }
            return outcome == .sent || outcome == .queued
        } catch {
            log.error("a message cannot be encoded", metadata: ["reason": "\(error)"])
            return false
        }
    }
}
