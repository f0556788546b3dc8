package import CaptureModel
import DequeModule
import FaultPoints
package import Logging
package import RigConfiguration
package import StorageKit

/// Collects the files of nodes' spools into the library, as ``CollectMachine`` decides.
///
/// No request to it waits for a disk. Separate tasks do the store's work of each node, so a disk that hangs delays the
/// files of one node only. Another task per node reports to its shots.
package actor Collector {
    /// Orders to nodes, in sequence. Bounded by the chunks that may be requested, and the releases that nodes have not
    /// answered.
    package nonisolated let orders: AsyncStream<CollectOrder>
    private nonisolated let order: AsyncStream<CollectOrder>.Continuation
    /// Requests of shots, so that none waits. Bounded by the files of open shots.
    private nonisolated let requests: AsyncStream<CollectEvent>
    private nonisolated let request: AsyncStream<CollectEvent>.Continuation
    /// Work that needs a task. Bounded by three tasks per node, and the files that are begun.
    private nonisolated let works: AsyncStream<Work>
    private nonisolated let work: AsyncStream<Work>.Continuation

    private let rig: Rig
    private let assets: any AssetStore
    private let clock: any TimeSource
    private let log: Logger
    private let alarm: Alarm
    private var machine: CollectMachine
    /// The instant until which the time keeper sleeps.
    private var wake: LocalTime?
    /// The store's work for each node. Bounded by the chunks and files of a node that are in progress.
    private var storing: [NodeName: WorkLane<StoreJob>] = [:]
    /// The reports to shots, by node. Bounded by the files of open shots.
    private var telling: [NodeName: WorkLane<Notice>] = [:]
    private var tidying = TidyQueue()

    private enum Work: Sendable {
        case store(NodeName)
        case tell(NodeName)
        case begin(FileKey, SpooledFile)
        case commit(NodeName)
        case tidy
    }

    private enum StoreJob: Sendable {
        case begin(FileKey, SpooledFile)
        case append(any AssetBytes, CollectChunk)
        case suspend(FileKey)
        case forget(FileKey)

        var key: FileKey {
            switch self {
            case .begin(let key, _), .suspend(let key), .forget(let key): key
            case .append(_, let chunk): chunk.key
            }
        }
    }

    private enum Notice: Sendable {
        case stored(FileKey, AssetLocation)
        case failed(FileKey, RigProblem)
        case requireHello(NodeName)
    }

    package init(rig: Rig, assets: any AssetStore, rate: TransferRate, clock: any TimeSource, log: Logger) {
        self.rig = rig
        self.assets = assets
        self.clock = clock
        self.log = log
        alarm = Alarm(clock: clock)
        machine = CollectMachine(rate: rate)
        (orders, order) = AsyncStream.makeStream(of: CollectOrder.self)
        (requests, request) = AsyncStream.makeStream(of: CollectEvent.self)
        (works, work) = AsyncStream.makeStream(of: Work.self)
    }

    /// Works until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.handleRequests() }
            group.addTask { await self.keepTime() }
            for await work in works { group.addTask { await self.perform(work) } }
            group.cancelAll()
        }
    }

    /// Changes the rate of all nodes together.
    package func pace(_ rate: TransferRate) {
        machine.pace(rate)
        alarm.ring()
    }

    // MARK: Events

    /// Notes that a node's agent can be asked for its files.
    package func connected(_ node: NodeName) { handle(.connected(node), of: node) }

    package func disconnected(_ node: NodeName) { handle(.disconnected(node), of: node) }

    /// Accepts a chunk from the node that has it.
    /// - Returns: false if the chunk was not requested and is dropped.
    package func received(_ chunk: CollectChunk, _ bytes: any AssetBytes) -> Bool {
        var isExpected = true
        for action in machine.handle(.received(chunk), at: clock.now()) {
            switch action {
            case .write(let chunk): add(.append(bytes, chunk))
            case .ignored: isExpected = false
            default: perform(action)
            }
        }
        watchTime(of: chunk.node)
        return isExpected
    }

    /// Notes that a node cannot send a chunk of its file.
    package func refused(_ key: FileKey, _ problem: RigProblem) {
        handle(.refused(key, problem), of: key.capture.device.node)
    }

    /// Notes that a node has released its file.
    package func letGo(_ key: FileKey) { handle(.letGo(key), of: key.capture.device.node) }

    private func handleRequests() async {
        for await request in requests {
            await CollectWorkFault.order.reached()
            handle(request)
        }
    }

    private func keepTime() async {
        while !Task.isCancelled {
            for action in machine.handle(.timePassed, at: clock.now()) { perform(action) }
            await CollectWorkFault.asking.reached()
            wake = machine.nextInstant(at: clock.now())
            await alarm.wait(until: wake)
        }
    }

    /// - Parameter node: The node whose instants the event may change; nil for any.
    private func handle(_ event: CollectEvent, of node: NodeName? = nil) {
        for action in machine.handle(event, at: clock.now()) { perform(action) }
        if let node { watchTime(of: node) } else { alarm.ring() }
    }

    /// Wakes the time keeper earlier if a node needs it.
    private func watchTime(of node: NodeName) {
        guard let next = machine.nextInstant(of: node, at: clock.now()), wake.map({ next < $0 }) ?? true else { return }
        alarm.ring()
    }

    // MARK: Actions

    private func perform(_ action: CollectAction) {
        switch action {
        case .send(let next): order.yield(next)
        case .requireHello(let node): tell(.requireHello(node), node)
        case .begin(let key, let file): add(.begin(key, file))
        case .commit(let node): work.yield(.commit(node))
        case .suspend(let key): add(.suspend(key))
        case .forget(let key): add(.forget(key))
        case .tidy(let shot): if tidying.add(shot) { work.yield(.tidy) }
        case .stored(let key, let location): tell(.stored(key, location), key.capture.device.node)
        case .failed(let key, let problem): tell(.failed(key, problem), key.capture.device.node)
        case .tellDamaged(let key, let problem):
            log.warning(
                "a file arrived damaged; fetching it again", metadata: ["file": "\(key)", "reason": "\(problem)"])
        case .tellOverdue(let node):
            log.warning("chunks are overdue; asking again", metadata: ["node": "\(node)"])
        case .write, .ignored: break
        }
    }

    private func add(_ job: StoreJob) {
        let node = job.key.capture.device.node
        if storing[node, default: WorkLane()].add(job) { work.yield(.store(node)) }
    }

    private func tell(_ notice: Notice, _ node: NodeName) {
        if telling[node, default: WorkLane()].add(notice) { work.yield(.tell(node)) }
    }

    private func perform(_ work: Work) async {
        switch work {
        case .store(let node): await keepStoring(of: node)
        case .tell(let node): await keepTelling(of: node)
        case .begin(let key, let file): await begin(key, file)
        case .commit(let node): await commit(of: node)
        case .tidy: await tidy()
        }
    }

    /// Does the store's work of a node, most urgent first. Work for one file keeps its order, because it is equally
    /// urgent.
    private func keepStoring(of node: NodeName) async {
        while let job = storing[node]?.next(by: { machine.rank(of: $0.key) }) {
            switch job {
            // Comparing with the stored file may take long, so other work continues beside it.
            case .begin(let key, let file): work.yield(.begin(key, file))
            case .append(let bytes, let chunk): await write(bytes, chunk)
            case .suspend(let key): await assets.suspend(key)
            case .forget(let key): await assets.forget(key)
            }
        }
    }

    private func write(_ bytes: any AssetBytes, _ chunk: CollectChunk) async {
        let failure: StorageError?
        do throws(StorageError) {
            try await assets.append(bytes, to: chunk.key, at: chunk.offset)
            failure = nil
        } catch {
            failure = error
        }
        handle(.written(chunk.key, failure), of: chunk.node)
    }

    private func begin(_ key: FileKey, _ file: SpooledFile) async {
        let start: Result<UploadStart, StorageError>
        do throws(StorageError) {
            start = .success(try await assets.begin(key, AssetContent(byteCount: file.byteCount, digest: file.digest)))
        } catch {
            start = .failure(error)
        }
        handle(.begun(key, file, start))
    }

    private func commit(of node: NodeName) async {
        await CollectWorkFault.finishing.reached()
        let keys = machine.removeComplete(of: node)
        var outcomes = await assets.commit(keys)
        for key in keys where outcomes[key] == nil {
            outcomes[key] = .failure(StorageError(.inputOutput, "commit", key, "\(key) was not committed"))
        }
        handle(.committed(node, outcomes))
    }

    private func tidy() async {
        while let shot = tidying.next() {
            await assets.forgetUploads(of: shot, except: machine.files(of: shot))
        }
    }

    private func keepTelling(of node: NodeName) async {
        while let notice = telling[node]?.next() {
            switch notice {
            case .stored(let key, let location):
                await CollectWorkFault.stored.reached()
                if await !rig.stored(key, path: location.description) { handle(.known(key), of: node) }
            case .failed(let key, let problem): await rig.storingFailed(key, problem)
            case .requireHello(let node): await rig.requireHello(of: node)
            }
        }
    }
}

// MARK: Requests of shots

extension Collector {
    /// Fetches a file in its turn. Does nothing if it is already being fetched.
    package nonisolated func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) {
        request.yield(.wanted(key, file, isAwaited: isAwaited))
    }

    /// Changes whether the files of a shot are fetched before those that nobody waits for, or like them.
    package nonisolated func prioritize(_ shot: ShotID, _ isAwaited: Bool) {
        request.yield(.prioritized(shot, isAwaited: isAwaited))
    }

    /// Tells a node that a file, or without a digest its failure, is durable: at once or when it is connected again,
    /// and repeatedly until it answers.
    package nonisolated func release(_ key: FileKey, _ digest: ContentDigest?) {
        request.yield(.durable(key, digest))
    }

    /// Ends the work on a file that will not arrive, and removes its received part.
    package nonisolated func abandon(_ key: FileKey) {
        request.yield(.abandoned(key))
    }

    /// Removes the received parts of a settled shot's files that are no longer fetched. An earlier run of the
    /// coordinator may have begun a file whose node has lost it, or has taken no picture.
    package nonisolated func tidy(_ shot: ShotID) {
        request.yield(.settled(shot))
    }
}

/// Work of one node that one task does piece by piece, while there is any.
///
/// A value without tasks: the caller that adds the first piece starts the task.
struct WorkLane<Job: Sendable>: Sendable {
    private var jobs: Deque<Job> = []
    private var isRunning = false

    /// - Returns: Whether a task must be started.
    mutating func add(_ job: Job) -> Bool {
        jobs.append(job)
        defer { isRunning = true }
        return !isRunning
    }

    /// Returns the most urgent piece, the oldest of several; nil if there is none, and the task ends.
    mutating func next<Urgency: Comparable>(by urgency: (Job) -> Urgency) -> Job? {
        guard let index = jobs.indices.min(by: { urgency(jobs[$0]) < urgency(jobs[$1]) }) else {
            isRunning = false
            return nil
        }
        return jobs.remove(at: index)
    }

    /// Returns the oldest piece; nil if there is none, and the task ends.
    mutating func next() -> Job? { next { _ in 0 } }
}

/// Settled shots whose remaining parts are to be removed. Bounded: if the store does not answer, the oldest shot is
/// dropped, and its parts are removed when the coordinator starts again.
struct TidyQueue: Sendable {
    static let limit = 1024

    private var shots: Deque<ShotID> = []
    private var isRunning = false
    /// Number of shots dropped.
    private(set) var dropped: UInt64 = 0

    /// - Returns: Whether a task must be started.
    mutating func add(_ shot: ShotID) -> Bool {
        shots.append(shot)
        if shots.count > Self.limit {
            shots.removeFirst()
            dropped += 1
        }
        defer { isRunning = true }
        return !isRunning
    }

    /// Returns the oldest shot; nil if there is none, and the task ends.
    mutating func next() -> ShotID? {
        let next = shots.popFirst()
        isRunning = next != nil
        return next
    }
}

/// The points at which the coordinator's collecting tasks wait.
package enum CollectWorkFault: String, TaskFaultPoint {
    /// A file is about to be begun.
    case order = "coordinator.collect.wait.order"
    case asking = "coordinator.collect.wait.asking"
    case finishing = "coordinator.collect.wait.finishing"
    /// A file is in place and durable, but its shot does not know it yet.
    case stored = "coordinator.collect.wait.stored"
}
