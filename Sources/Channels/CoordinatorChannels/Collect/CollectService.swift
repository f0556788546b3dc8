import CaptureModel
import FaultPoints
import Logging
import RigConfiguration
import RigCore
import RigWire
import StorageKit
import ZeroMQ

/// The coordinator's end of the collect channel: asks nodes for the chunks of their files, stores what comes, and says
/// when a copy may go.
actor CollectService {
    let socket: RouterSocket
    let rig: Rig
    let assets: any AssetStore
    let clock: any TimeSource
    let log: Logger
    let alarm: Alarm
    var pacer: TransferPacer
    var turns: CollectTurns
    var queues: [NodeName: CollectQueue] = [:]
    var bindings = AgentBindings()
    var greetings = PendingGreetings()
    var releases = PendingReleases()
    var retries = CollectRetries()
    /// Whole files that are not stored yet, by node. Bounded by the files of open shots.
    var finishing: [NodeName: [FileKey]] = [:]
    /// Nodes of which files are being stored.
    var committing: Set<NodeName> = []
    let finishAlarm: Alarm
    /// Nodes of which further files may be begun.
    private var beginning: Set<NodeName> = []
    private let beginAlarm: Alarm
    /// Files to begin with, so that whoever orders one does not wait for the disk, and who waits for a shot or does not any
    /// more. Bounded by the files of open shots.
    private nonisolated let orders: AsyncStream<Order>
    private nonisolated let order: AsyncStream<Order>.Continuation
    var dropped = DroppedMessages()
    let lane = SendLane<(Message, PeerID)>()

    private enum Order: Sendable {
        case collect(FileKey, SpooledFile, isAwaited: Bool)
        case prioritize(ShotID, isAwaited: Bool)
    }

    init(
        socket: RouterSocket, rig: Rig, assets: any AssetStore, rate: TransferRate, clock: any TimeSource, log: Logger
    ) {
        self.socket = socket
        self.rig = rig
        self.assets = assets
        self.clock = clock
        self.log = log
        alarm = Alarm(clock: clock)
        finishAlarm = Alarm(clock: clock)
        beginAlarm = Alarm(clock: clock)
        (orders, order) = AsyncStream.makeStream(of: Order.self)
        pacer = TransferPacer(rate: rate)
        turns = CollectTurns(chunkByteCount: pacer.chunkByteCount)
    }

    /// Serves until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepAsking() }
            group.addTask { await self.takeOrders() }
            group.addTask { await self.keepBeginning() }
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
            beginAlarm.ring()
        }
    }

    /// Fetches a file, in its turn; harmless when it is being fetched.
    nonisolated func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) {
        order.yield(.collect(key, file, isAwaited: isAwaited))
    }

    /// Has the files of a shot fetched before those that nobody waits for, or as these.
    nonisolated func prioritize(_ shot: ShotID, _ isAwaited: Bool) {
        order.yield(.prioritize(shot, isAwaited: isAwaited))
    }

    private func takeOrders() async {
        for await order in orders {
            await CollectWaitFault.order.reached()
            switch order {
            case .collect(let key, let file, let isAwaited):
                let node = key.capture.device.node
                queues[node, default: CollectQueue()].wait(key, file, isAwaited: isAwaited)
                beginMore(of: node)
            case .prioritize(let shot, let isAwaited):
                for node in queues.keys where queues[node]?.keys(of: shot).isEmpty == false {
                    queues[node]?.prioritize(shot, isAwaited)
                    beginMore(of: node)
                }
            }
        }
    }

    /// Has as many files of a node begun as may be under way, and the first chunks asked for; returns at once, since beginning with a file
    /// may take the store long.
    func beginMore(of node: NodeName) {
        beginning.insert(node)
        beginAlarm.ring()
    }

    private func keepBeginning() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let nodes = beginning
                beginning = []
                // As many at a time as there are files being begun, which the queues bound.
                for node in nodes { group.addTask { await self.begin(of: node) } }
                await beginAlarm.wait(until: nil)
            }
            group.cancelAll()
        }
    }

    private func begin(of node: NodeName) async {
        while true {
            if let key = queues[node]?.makeRoom() { await assets.suspend(key) }
            guard let (key, file) = queues[node]?.nextToBegin() else { break }
            do throws(StorageError) {
                let content = AssetContent(byteCount: file.byteCount, digest: file.digest)
                switch try await assets.begin(key, content) {
                case .resume(let offset): queues[node]?.add(key, file, from: offset)
                case .committed: queues[node]?.add(key, file, from: file.byteCount)
                }
                if queues[node]?.isWhole(key) == true { finish(key) }
            } catch {
                let isAwaited = queues[node]?.isAwaited(key) ?? false
                queues[node]?.remove(key)
                await settle(key, file, failed: CaptureProblem(error), isAwaited: isAwaited)
            }
        }
        await ask(node)
    }
}
