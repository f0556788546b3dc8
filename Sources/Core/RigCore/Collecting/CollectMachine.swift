import CaptureModel
import RigConfiguration
import StorageKit

/// Decides how the files of all nodes' spools get into the library: which chunk of which node is requested next, what a
/// chunk or a failure means, when a file is stored, and when its node may release it.
///
/// A file goes through these states. ``CollectQueue`` has those of one node, ``CollectRetries`` the last.
///
/// | state | leaves on | next |
/// |---|---|---|
/// | waits | its turn | begun by the store |
/// | begun | every byte written | complete |
/// | begun | a failure | waits, if the bytes were wrong and may be right next time; retried later, if the disk failed; otherwise removed |
/// | complete | the store's answer | removed, if it is stored; as above on a failure |
/// | retried later | its instant | waits |
///
/// The files of one node do not depend on other nodes or on the store's work for them. Only the rate and
/// ``unwrittenLimit`` are shared, and each node has a guaranteed share of both.
///
/// A value without a clock, a socket or a disk.
struct CollectMachine: Sendable {
    /// Limit on the chunks of all nodes that are requested, or received and not written. Beyond it, each node may have
    /// one.
    static let unwrittenLimit = 256

    private var queues: [NodeName: CollectQueue] = [:]
    private var connected: Set<NodeName> = []
    private var pacer: TransferPacer
    private var turns: CollectTurns
    private var helloRequests = HelloRequests()
    private var releases = PendingReleases()
    private var retries = CollectRetries()
    /// Complete files that are not being stored yet. Bounded by the files that are begun.
    private var whole: [NodeName: [FileKey]] = [:]
    /// Nodes whose files are being stored.
    private var committing: Set<NodeName> = []
    /// Number of chunks of all nodes that are requested, or received and not written.
    private(set) var pendingCount = 0

    init(rate: TransferRate) {
        pacer = TransferPacer(rate: rate)
        turns = CollectTurns(chunkByteCount: pacer.chunkByteCount)
    }

    /// Changes the rate of all nodes together, from the next request on. ``CollectEvent/timePassed`` must follow.
    mutating func pace(_ rate: TransferRate) {
        guard rate != pacer.rate else { return }
        pacer = TransferPacer(rate: rate)
        turns = CollectTurns(chunkByteCount: pacer.chunkByteCount)
    }

    mutating func handle(_ event: CollectEvent, at now: LocalTime) -> [CollectAction] {
        switch event {
        case .wanted(let key, let file, let isAwaited): return want(key, file, isAwaited: isAwaited, at: now)
        case .prioritized(let shot, let isAwaited): return prioritize(shot, isAwaited, at: now)
        case .durable(let key, let digest): return release(key, digest, at: now)
        case .abandoned(let key): return abandon(key, at: now)
        case .settled(let shot): return [.tidy(shot)]
        case .known(let key):
            change(key.capture.device.node) { $0.released(key) }
            return beginMore(of: key.capture.device.node, at: now)
        case .connected(let node): return connect(node, at: now)
        case .disconnected(let node):
            connected.remove(node)
            return []
        case .received(let chunk): return receive(chunk, at: now)
        case .refused(let key, let problem):
            // Nothing is requested for a complete file.
            return queues[key.capture.device.node]?.isWhole(key) == true ? [] : fail(key, problem, at: now)
        case .letGo(let key):
            releases.answered(key, at: now)
            return []
        case .begun(let key, let file, let start): return begun(key, file, start, at: now)
        case .written(let key, let error): return written(key, error, at: now)
        case .committed(let node, let outcomes): return committed(node, outcomes, at: now)
        case .timePassed: return timePassed(at: now)
        }
    }

    /// Returns when to send ``CollectEvent/timePassed``, if nothing else happens.
    func nextInstant(at now: LocalTime) -> LocalTime? {
        let instants =
            connected.map { nextInstant(of: $0, at: now) } + [
                retries.nextInstant, helloRequests.nextInstant, releases.nextInstant(of: connected.contains),
            ]
        return instants.compactMap(\.self).min()
    }

    /// Returns the same for one node.
    func nextInstant(of node: NodeName, at now: LocalTime) -> LocalTime? {
        guard connected.contains(node), let queue = queues[node], !queue.isEmpty else { return nil }
        return queue.nextWake(askingFrom: pacer.earliest(at: now), mayAsk: hasRoom(for: queue))
    }

    /// Returns how urgent the work of a file is.
    func rank(of key: FileKey) -> CollectRank {
        queues[key.capture.device.node]?.rank(of: key) ?? CollectRank(key.kind, isAwaited: false)
    }

    /// Returns the files of a shot that are being fetched, or will be again.
    func files(of shot: ShotID) -> Set<FileKey> {
        Set(queues.values.flatMap { $0.keys(of: shot) } + retries.keys(of: shot))
    }

    /// Removes and returns the node's complete files, which are then being stored; ``CollectEvent/committed(_:_:)``
    /// must follow.
    mutating func removeComplete(of node: NodeName) -> [FileKey] { whole.removeValue(forKey: node) ?? [] }

    /// Changes a node's queue, if it has one.
    @discardableResult
    private mutating func change<Result>(_ node: NodeName, _ body: (inout CollectQueue) -> Result) -> Result? {
        guard let before = queues[node]?.pendingCount else { return nil }
        defer { pendingCount += (queues[node]?.pendingCount ?? 0) - before }
        return body(&queues[node, default: CollectQueue()])
    }
}

// MARK: Requesting

extension CollectMachine {
    private func hasRoom(for queue: CollectQueue) -> Bool {
        pendingCount < Self.unwrittenLimit || queue.pendingCount == 0
    }

    /// Requests as many chunks as window and pace allow. If nodes share a rate, the chunks may be of any node.
    private mutating func ask(_ node: NodeName, at now: LocalTime) -> [CollectAction] {
        var actions: [CollectAction] = []
        while pacer.earliest(at: now) <= now, let chunk = nextChunk(of: node, at: now) {
            actions.append(.send(.request(chunk)))
        }
        return actions
    }

    /// Returns the chunk to request next, and charges it to the pace.
    private mutating func nextChunk(of node: NodeName, at now: LocalTime) -> CollectChunk? {
        let nodes = pacer.isUnlimited ? [node] : Array(queues.keys)
        let active = nodes.filter { queues[$0]?.isEmpty == false && connected.contains($0) }
        var wishes: [NodeName: Set<CollectRank>] = [:]
        for node in active { wishes[node] = queues[node].map { hasRoom(for: $0) ? $0.ranks : [] } }
        guard let turn = turns.next(among: wishes) else { return nil }
        let limit = pacer.chunkByteCount
        guard let chunk = change(turn.node, { $0.next(turn.rank, limit: limit, at: now) }) ?? nil else { return nil }
        turns.spent(chunk.count, on: turn.rank, isBacklogWaiting: active.contains { queues[$0]?.hasBacklog == true })
        pacer.spend(chunk.count, at: now)
        return chunk
    }

    private mutating func timePassed(at now: LocalTime) -> [CollectAction] {
        var actions: [CollectAction] = []
        for (key, file) in retries.removeDue(at: now) { actions += want(key, file, isAwaited: false, at: now) }
        let silent = queues.filter { !$0.value.isEmpty && !connected.contains($0.key) }.keys
        actions += helloRequests.nextDue(silent: Set(silent), at: now).map { .requireHello($0) }
        actions += releases.removeDue(of: connected.contains, at: now).map { .send(.release($0.key, $0.digest)) }
        for node in queues.keys.sorted() where connected.contains(node) {
            if change(node, { $0.restartIfOverdue(at: now) }) == true { actions.append(.tellOverdue(node)) }
            actions += ask(node, at: now)
        }
        return actions
    }

    private mutating func connect(_ node: NodeName, at now: LocalTime) -> [CollectAction] {
        connected.insert(node)
        change(node) { $0.reconnected() }
        return releases.of(node).map { .send(.release($0.key, $0.digest)) } + beginMore(of: node, at: now)
    }

    /// Orders a node to release a file: at once or when it is connected again, and repeatedly until it answers.
    private mutating func release(_ key: FileKey, _ digest: ContentDigest?, at now: LocalTime) -> [CollectAction] {
        let node = key.capture.device.node
        releases.add(key, digest, at: now)
        change(node) { $0.released(key) }
        let order: [CollectAction] = connected.contains(node) ? [.send(.release(key, digest))] : []
        return order + beginMore(of: node, at: now)
    }
}

// MARK: From the order of files to files in their place

extension CollectMachine {
    private mutating func want(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool, at now: LocalTime)
        -> [CollectAction]
    {
        let node = key.capture.device.node
        queues[node, default: CollectQueue()].wait(key, file, isAwaited: isAwaited)
        return beginMore(of: node, at: now)
    }

    private mutating func prioritize(_ shot: ShotID, _ isAwaited: Bool, at now: LocalTime) -> [CollectAction] {
        var actions: [CollectAction] = []
        for node in queues.keys.sorted() where queues[node]?.keys(of: shot).isEmpty == false {
            change(node) { $0.prioritize(shot, isAwaited) }
            actions += beginMore(of: node, at: now)
        }
        return actions
    }

    /// Begins as many files of a node as may be in progress, and requests the next chunks.
    private mutating func beginMore(of node: NodeName, at now: LocalTime) -> [CollectAction] {
        var actions: [CollectAction] = []
        while true {
            if let key = change(node, { $0.makeRoom() }) ?? nil { actions.append(.suspend(key)) }
            guard let (key, file) = change(node, { $0.nextToBegin() }) ?? nil else { break }
            actions.append(.begin(key, file))
        }
        return actions + ask(node, at: now)
    }

    private mutating func begun(
        _ key: FileKey, _ file: SpooledFile, _ start: Result<UploadStart, StorageError>, at now: LocalTime
    ) -> [CollectAction] {
        let node = key.capture.device.node
        switch start {
        case .success(.resume(let offset)): change(node) { $0.add(key, file, from: offset) }
        case .success(.committed): change(node) { $0.add(key, file, from: file.byteCount) }
        case .failure(let error):
            let isAwaited = queues[node]?.isAwaited(key) ?? false
            change(node) { $0.remove(key) }
            return end(key, file, RigProblem(error), isAwaited: isAwaited, at: now)
        }
        return finishIfComplete(key) + ask(node, at: now)
    }

    private mutating func receive(_ chunk: CollectChunk, at now: LocalTime) -> [CollectAction] {
        switch change(chunk.node, { $0.received(chunk, at: now) }) {
        case .taken: return [.write(chunk)] + ask(chunk.node, at: now)
        case .short:
            let problem = RigProblem(.fileLost, "\(chunk.key) is shorter in the node's spool than announced")
            return fail(chunk.key, problem, at: now)
        case .unexpected, nil: return [.ignored(chunk)]
        }
    }

    private mutating func written(_ key: FileKey, _ error: StorageError?, at now: LocalTime) -> [CollectAction] {
        let node = key.capture.device.node
        change(node) { $0.written(key) }
        if let error { return fail(key, RigProblem(error), at: now) + ask(node, at: now) }
        return finishIfComplete(key) + ask(node, at: now)
    }

    /// Stores a complete file together with the other complete files of its node, because a store commits many in the
    /// time of one.
    private mutating func finishIfComplete(_ key: FileKey) -> [CollectAction] {
        let node = key.capture.device.node
        guard queues[node]?.isComplete(key) == true, whole[node]?.contains(key) != true else { return [] }
        whole[node, default: []].append(key)
        return committing.insert(node).inserted ? [.commit(node)] : []
    }

    private mutating func committed(
        _ node: NodeName, _ outcomes: [FileKey: Result<AssetLocation, StorageError>], at now: LocalTime
    ) -> [CollectAction] {
        var actions: [CollectAction] = []
        for (key, outcome) in outcomes.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            switch outcome {
            case .success(let location):
                change(node) { $0.stored(key) }
                retries.forget(key)
                actions.append(.stored(key, location))
            case .failure(let error): actions += fail(key, RigProblem(error), at: now)
            }
        }
        if whole[node] == nil { committing.remove(node) } else { actions.append(.commit(node)) }
        return actions + beginMore(of: node, at: now)
    }
}

// MARK: Failures

extension CollectMachine {
    /// Ends the work on a file and lets other files take its place.
    private mutating func fail(_ key: FileKey, _ problem: RigProblem, at now: LocalTime) -> [CollectAction] {
        let node = key.capture.device.node
        guard let file = queues[node]?.file(key) else { return [] }
        let isAwaited = queues[node]?.isAwaited(key) ?? false
        change(node) { $0.remove(key) }
        return end(key, file, problem, isAwaited: isAwaited, at: now)
    }

    /// Reports the failure of a file to its shot, unless the file is fetched again at once.
    private mutating func end(
        _ key: FileKey, _ file: SpooledFile, _ problem: RigProblem, isAwaited: Bool, at now: LocalTime
    ) -> [CollectAction] {
        let node = key.capture.device.node
        switch retries.failed(key, file, problem, at: now) {
        case .again: return [.tellDamaged(key, problem)] + want(key, file, isAwaited: isAwaited, at: now)
        case .later: return [.suspend(key), .failed(key, problem)] + beginMore(of: node, at: now)
        case .never: return [.forget(key), .failed(key, problem)] + beginMore(of: node, at: now)
        }
    }

    /// Ends the work on a file. A file that is being begun, or is complete, ends on its own.
    private mutating func abandon(_ key: FileKey, at now: LocalTime) -> [CollectAction] {
        let node = key.capture.device.node
        guard change(node, { $0.abandon(key) }) != false else { return [] }
        retries.forget(key)
        return [.forget(key)] + beginMore(of: node, at: now)
    }
}
