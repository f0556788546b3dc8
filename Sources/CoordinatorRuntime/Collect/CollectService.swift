import CaptureModel
import FaultPoints
import Library
import Logging
import OrderedCollections
import RigConfiguration
import RigProtocol
import RigWire
import ZeroMQ

/// The coordinator's end of the collect channel: asks nodes for the chunks of their files, stores what comes, and says
/// when a copy may go.
actor CollectService {
    private let socket: RouterSocket
    private let rig: Rig
    private let library: Library
    private let clock: any TimeSource
    private let log: Logger
    private let alarm: Alarm
    private var pacer: TransferPacer
    private var queues: [NodeName: CollectQueue] = [:]
    private var bindings = AgentBindings()
    private var attempts: [FileKey: Int] = [:]
    private var retries = CollectRetries()
    /// When each node that has files to give and has not said hello here is to be asked for one. Bounded by `queues`.
    private var greetings: [NodeName: LocalTime] = [:]
    /// Whole files that are not in place yet. Bounded by the files of open shots.
    private var finishing: [FileKey] = []
    private let finishAlarm: Alarm
    /// Releases that no agent has answered yet, with the digest of what is released, and none for a failure; sent again whenever the node binds a connection. A node that never comes
    /// back keeps its entries, bounded by `releaseLimit`; what is beyond comes up with the node's next inventory.
    private var unanswered: [NodeName: OrderedDictionary<FileKey, ContentDigest?>] = [:]
    private static let releaseLimit = 4096
    /// Files to begin with, so that whoever orders one does not wait for the disk. Bounded by the files of open shots.
    private nonisolated let orders: AsyncStream<Order>
    private nonisolated let order: AsyncStream<Order>.Continuation
    private(set) var dropped = DroppedMessages()
    private let lane = SendLane<(Message, PeerID)>()

    /// How often a file whose bytes are wrong is fetched again.
    static let attemptLimit = 3

    private struct Order: Sendable {
        var key: FileKey
        var file: SpooledFile
        var isAwaited: Bool
    }

    init(
        socket: RouterSocket, rig: Rig, library: Library, rate: TransferRate, clock: any TimeSource, log: Logger
    ) {
        self.socket = socket
        self.rig = rig
        self.library = library
        self.clock = clock
        self.log = log
        alarm = Alarm(clock: clock)
        finishAlarm = Alarm(clock: clock)
        (orders, order) = AsyncStream.makeStream(of: Order.self)
        pacer = TransferPacer(rate: rate)
    }

    /// Serves until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepAsking() }
            group.addTask { await self.takeOrders() }
            group.addTask { await self.keepFinishing() }
            while let (peer, received) = await socket.receive() {
                await CollectWaitFault.received.reached()
                do {
                    try await handle(received.message, from: peer)
                } catch {
                    drop(.malformed, "\(error)")
                }
            }
            group.cancelAll()
            alarm.ring()
            finishAlarm.ring()
        }
    }

    /// Fetches a file, in its turn; harmless when it is being fetched.
    nonisolated func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) {
        order.yield(Order(key: key, file: file, isAwaited: isAwaited))
    }

    private func takeOrders() async {
        for await order in orders {
            await CollectWaitFault.order.reached()
            let node = order.key.capture.device.node
            queues[node, default: CollectQueue()].wait(order.key, order.file, isAwaited: order.isAwaited)
            await beginMore(of: node)
        }
    }

    /// Has the library open as many files of a node as may be under way.
    private func beginMore(of node: NodeName) async {
        while let (key, file) = queues[node]?.nextToBegin() {
            do {
                let offset = try await library.beginReceiving(key, byteCount: file.byteCount, digest: file.digest)
                queues[node]?.add(key, file, from: offset)
                if queues[node]?.isWhole(key) == true { finish(key) }
            } catch {
                queues[node]?.remove(key)
                await tellFailed(key, file, error)
            }
        }
        await ask(node)
    }

    /// Tells a node that a file, or without a digest its failure, is durable: at once or when it is back, until it answers.
    func release(_ key: FileKey, _ digest: ContentDigest?) async {
        let node = key.capture.device.node
        unanswered[node, default: [:]].updateValue(digest, forKey: key)
        if let count = unanswered[node]?.count, count > Self.releaseLimit { unanswered[node]?.removeFirst() }
        if let peer = bindings.peer(of: node) { await sendRelease(key, digest, to: peer) }
        queues[node]?.released(key)
        await beginMore(of: node)
    }

    private func sendRelease(_ key: FileKey, _ digest: ContentDigest?, to peer: PeerID) async {
        var durable = WireDurable()
        durable.file = key.wire
        if let digest { durable.sha256 = digest.wire } else { durable.failed = true }
        await send(.durable(durable), to: peer)
    }

    private func handle(_ message: Message, from peer: PeerID) async throws {
        guard (1...2).contains(message.parts.count) else { throw DroppedMessages.Cause.malformed }
        let wire = try WireCoding.collect.decode(WireCollectFromAgent.self, from: message.parts[0].bytes)
        let node = try NodeName(wire.node)
        guard let epoch = Epoch(rawValue: wire.epoch) else { throw DroppedMessages.Cause.malformed }
        if case .hello = wire.body { return await bind(peer, node, epoch) }
        guard bindings.speaks(peer, for: node, epoch) else {
            drop(.unknownPeer, "a message of node '\(node)' before its hello")
            return await send(.helloRequired(WireCollectHelloRequired()), to: peer)
        }
        switch wire.body {
        case .chunk(let chunk):
            guard message.parts.count == 2 else { throw DroppedMessages.Cause.malformed }
            try await take(chunk, message.parts[1], from: node)
        case .chunkRefused(let refused): try await giveUp(refused, from: node)
        case .released(let released):
            let key = try FileKey(wire: released.file)
            if key.capture.device.node == node { unanswered[node]?.removeValue(forKey: key) }
        case .hello: break
        case nil: drop(.unknown, "a message without a body this version knows")
        }
    }

    private func bind(_ peer: PeerID, _ node: NodeName, _ epoch: Epoch) async {
        guard await rig.heard(from: node, epoch: epoch) else {
            return drop(.unknownPeer, "node '\(node)' has not said hello on the control channel")
        }
        let connected = bindings.isFull ? await rig.connectedNodes : nil
        bindings.bind(peer, to: node, epoch, keeping: connected)
        queues[node]?.reconnected()
        for (key, digest) in unanswered[node] ?? [:] { await sendRelease(key, digest, to: peer) }
        await ask(node)
    }

    /// Asks for as many chunks as window and pace allow, and has the next ones asked for in time.
    private func ask(_ node: NodeName) async {
        await request(from: node)
        alarm.ring()
    }

    private func request(from node: NodeName) async {
        guard let peer = bindings.peer(of: node) else { return }
        while pacer.earliest(at: clock.now()) <= clock.now(), let chunk = queues[node]?.next(at: clock.now()) {
            pacer.spend(chunk.count, at: clock.now())
            var request = WireChunkRequest()
            request.file = chunk.key.wire
            request.offset = chunk.offset
            request.count = chunk.count
            await send(.chunkRequest(request), to: peer)
        }
    }

    /// Asks on when the pace allows it, and again for what has not come.
    private func keepAsking() async {
        while !Task.isCancelled {
            let now = clock.now()
            for (key, file) in retries.takeDue(at: now) { collect(key, file, isAwaited: false) }
            await requireGreetings(at: now)
            for node in queues.keys.sorted() where bindings.peer(of: node) != nil {
                if queues[node]?.restartIfOverdue(at: now) == true {
                    log.warning("chunks are overdue; asking again", metadata: ["node": "\(node)"])
                }
                await request(from: node)
            }
            await CollectWaitFault.asking.reached()
            await alarm.wait(until: nextWake)
        }
    }

    /// A node's hello here may be lost. After its next welcome on the control channel it says another one.
    private func requireGreetings(at now: LocalTime) async {
        let silent = queues.filter { !$0.value.isEmpty && bindings.peer(of: $0.key) == nil }.keys.sorted()
        greetings = greetings.filter { silent.contains($0.key) }
        for node in silent {
            let due = greetings[node] ?? now + CollectQueue.patience
            greetings[node] = due <= now ? now + CollectQueue.patience : due
            if due <= now { await rig.requireHello(of: node) }
        }
    }

    private var nextWake: LocalTime? {
        let earliest = pacer.earliest(at: clock.now())
        let active = queues.filter { !$0.value.isEmpty && bindings.peer(of: $0.key) != nil }.values
        let instants = active.map { $0.nextWake(askingFrom: earliest) } + [retries.nextInstant]
        return (instants.compactMap(\.self) + greetings.values).min()
    }

    private func take(_ wire: WireChunk, _ payload: MessagePart, from node: NodeName) async throws {
        let key = try FileKey(wire: wire.file)
        let chunk = CollectQueue.Chunk(key: key, offset: wire.offset, count: wire.count)
        guard key.capture.device.node == node, payload.count == Int(clamping: wire.count) else {
            return drop(.unexpected, "a chunk of \(key) with another number of bytes than it says")
        }
        switch queues[node]?.received(chunk, at: clock.now()) {
        case .taken: await ask(node)
        case .short:
            return await fail(key, CaptureProblem(.fileLost, "\(key) is shorter in the node's spool than announced"))
        case .unexpected, nil: return drop(.unexpected, "a chunk of \(key) at \(wire.offset)")
        }
        do {
            try await library.receive(key, offset: wire.offset, bytes: payload.bytes)
        } catch {
            return await fail(key, error)
        }
        if queues[node]?.isWhole(key) == true { finish(key) }
    }

    /// Has a whole file put in place together with the others that wait for it.
    private func finish(_ key: FileKey) {
        finishing.append(key)
        finishAlarm.ring()
    }

    /// Puts whole files in place, all that wait at a time, since the disk makes many durable in the time of one.
    private func keepFinishing() async {
        while !Task.isCancelled {
            let batch = finishing
            finishing = []
            let outcomes = batch.isEmpty ? [:] : await library.finish(batch)
            for key in batch {
                switch outcomes[key] {
                case .success(let path): await settle(key, path)
                case .failure(let problem): await fail(key, problem)
                case nil: break
                }
            }
            await CollectWaitFault.finishing.reached()
            if finishing.isEmpty { await finishAlarm.wait(until: nil) }
        }
    }

    private func settle(_ key: FileKey, _ path: String) async {
        let node = key.capture.device.node
        queues[node]?.stored(key)
        attempts[key] = nil
        retries.forget(key)
        await CollectWaitFault.stored.reached()
        if await !rig.stored(key, path: path) { queues[node]?.released(key) }
        await beginMore(of: node)
    }

    /// Bytes that are not those announced are fetched again a few times; any other failure is the file's outcome, and
    /// one that may pass is tried again later.
    private func fail(_ key: FileKey, _ problem: CaptureProblem) async {
        let node = key.capture.device.node
        let file = queues[node]?.file(key)
        let isAwaited = queues[node]?.isAwaited(key) ?? false
        queues[node]?.remove(key)
        attempts[key, default: 0] += 1
        if problem.code == .corrupted, let file, attempts[key, default: 0] < Self.attemptLimit {
            log.warning(
                "a file arrived damaged; fetching it again", metadata: ["file": "\(key)", "reason": "\(problem)"])
            return collect(key, file, isAwaited: isAwaited)
        }
        attempts[key] = nil
        await tellFailed(key, file, problem)
        await beginMore(of: node)
    }

    private func tellFailed(_ key: FileKey, _ file: SpooledFile?, _ problem: CaptureProblem) async {
        if let file { retries.failed(key, file, problem, at: clock.now()) }
        if !CollectRetries.mayPass(problem) { await library.abandon(key) }
        alarm.ring()
        await rig.storingFailed(key, problem)
    }

    private func giveUp(_ refused: WireChunkRefused, from node: NodeName) async throws {
        let key = try FileKey(wire: refused.file)
        guard queues[node]?.file(key) != nil else { return }
        await fail(key, CaptureProblem(wire: refused.problem))
    }

    private func send(_ body: WireCollectFromCoordinator.OneOf_Body, to peer: PeerID) async {
        var message = WireCollectFromCoordinator()
        message.epoch = rig.epoch.rawValue
        message.agentEpoch = bindings.epoch(of: peer)?.rawValue ?? 0
        message.body = body
        guard let bytes = try? WireCoding.collect.encode(message) else { return }
        let outcome = await lane.pass((Message([MessagePart(bytes)]), peer), at: CollectSendFault(body)) {
            await socket.send($0.0, to: $0.1)
        }
        if case .refused(let refusal) = outcome {
            drop(.unsent, "\(refusal)")
            if refusal == .unknownPeer { bindings.unbind(peer) }
        }
    }

    private func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("collect messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }
}
