import CaptureModel
import OrderedCollections

/// Decides which chunk of which file of one node is requested next. At most `window` chunks are in flight, and at most
/// `unwrittenLimit` including those that the store has not written yet.
///
/// A file waits, is begun (the library opens its part), is received, and is removed when it is in its place or given
/// up. Files of shots that somebody waits for have priority at every step. The others, the backlog, follow in the order
/// in which they were added and leave room for them. A new shot therefore waits for the window, never for a backlog.
/// ``CollectTurns`` defines how nodes share a rate.
///
/// A value without sockets or a disk. Chunks of a file are requested in order and the channel keeps order, so the
/// received bytes of a file are always its beginning. Several files may be begun at once; they are requested in the
/// order in which ``nextToBegin()`` returned them.
struct CollectQueue: Sendable {
    /// Limit on the bytes of one chunk.
    static let chunkByteCount: Int64 = 256 * 1024
    /// Limit on the chunks requested and not yet received.
    static let window = 8
    /// Limit on the chunks requested, or received and not yet written, so that a disk that hangs does not use more
    /// memory.
    static let unwrittenLimit = 16
    /// Limit on the files begun and not removed, so that a long backlog does not use up memory or descriptors.
    static let beginLimit = 16
    /// The part of ``beginLimit`` for the backlog.
    static let backlogLimit = 8
    /// Limit on the shots of the backlog with files in their place that no durable manifest names yet. A new shot finds
    /// at most this many manifests before its own.
    static let settlingLimit = 8
    /// If no chunk arrives for this long, those in flight are requested again. The time doubles with each unsuccessful
    /// attempt.
    static let patience = RetryDelay(first: .seconds(2), last: .seconds(60))

    struct Transfer: Sendable {
        var file: SpooledFile
        var isAwaited: Bool
        /// The position in the order in which the files were begun.
        let number: Int
        var nextOffset: Int64
        var receivedOffset: Int64
        /// Number of chunks received and not written yet.
        var writing = 0

        var rank: CollectRank { CollectRank(file.kind, isAwaited: isAwaited) }
        var hasMore: Bool { nextOffset < file.byteCount }
    }

    private struct Beginning: Sendable {
        var isAwaited: Bool
        let number: Int
    }

    /// Files not begun yet.
    private var awaited: OrderedDictionary<FileKey, SpooledFile> = [:]
    private var backlog: OrderedDictionary<FileKey, SpooledFile> = [:]
    /// Files that are being begun.
    private var beginning: [FileKey: Beginning] = [:]
    /// Number of files begun so far.
    private var begunCount = 0
    /// Files of the backlog that are in their place, until a manifest says so.
    private var settling: Set<FileKey> = []
    private var transfers: OrderedDictionary<FileKey, Transfer> = [:]
    private var outstanding: OrderedDictionary<CollectChunk, LocalTime> = [:]
    /// Number of chunks received and not written yet, including those of removed files.
    private var unwrittenCount = 0

    var isEmpty: Bool { transfers.isEmpty }

    /// Number of chunks in flight, or received and not written yet.
    var pendingCount: Int { outstanding.count + unwrittenCount }

    /// Returns the file in progress with this key.
    func file(_ key: FileKey) -> SpooledFile? { transfers[key]?.file }

    /// Returns the files of a shot that wait, are being begun or are in progress.
    func keys(of shot: ShotID) -> [FileKey] {
        [Array(awaited.keys), Array(backlog.keys), Array(beginning.keys), Array(transfers.keys)].joined()
            .filter { $0.capture.shot == shot }
    }

    /// Returns whether somebody waits for the file with this key, which is being begun or in progress.
    func isAwaited(_ key: FileKey) -> Bool { transfers[key]?.isAwaited ?? beginning[key]?.isAwaited ?? false }

    /// Returns how urgent the work of a file is. A file that is not begun has the lowest rank.
    func rank(of key: FileKey) -> CollectRank { CollectRank(key.kind, isAwaited: isAwaited(key)) }

    private var patience = CollectQueue.patience
    private var lastArrival: LocalTime?

    /// When the chunks in flight are overdue; nil if there are none. The channel keeps order, so a chunk that arrives
    /// shows that the others are on their way.
    var deadline: LocalTime? {
        outstanding.values.first.map { asked in max(asked, lastArrival ?? asked) + patience.next }
    }

    /// Queues a file. Does nothing if the file already waits or is in progress.
    mutating func wait(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) {
        guard transfers[key] == nil, beginning[key] == nil else { return }
        if isAwaited {
            backlog[key] = nil
            awaited[key] = file
        } else if awaited[key] == nil {
            backlog[key] = file
        }
    }

    /// Changes whether somebody waits for the files of a shot.
    mutating func prioritize(_ shot: ShotID, _ isAwaited: Bool) {
        for key in transfers.keys where key.capture.shot == shot { transfers[key]?.isAwaited = isAwaited }
        for key in beginning.keys where key.capture.shot == shot { beginning[key]?.isAwaited = isAwaited }
        for (key, file) in isAwaited ? backlog : awaited where key.capture.shot == shot {
            if isAwaited {
                backlog[key] = nil
                awaited[key] = file
            } else {
                awaited[key] = nil
                backlog[key] = file
            }
        }
    }

    /// Puts back a file that nobody waits for, if such files occupy places that awaited files need.
    /// - Returns: The file, whose upload the library must suspend; nil if there is room.
    mutating func makeRoom() -> FileKey? {
        guard !awaited.isEmpty, beginCount >= Self.beginLimit, backlogBeginCount > Self.backlogLimit else { return nil }
        let busy = Set(outstanding.keys.map(\.key))
        let idle = transfers.elements.last { key, transfer in
            !transfer.isAwaited && transfer.writing == 0 && transfer.receivedOffset < transfer.file.byteCount
                && !busy.contains(key)
        }
        guard let (key, transfer) = idle else { return nil }
        transfers[key] = nil
        backlog.updateValue(transfer.file, forKey: key, insertingAt: 0)
        return key
    }

    private var beginCount: Int { transfers.count + beginning.count }
    private var backlogBeginCount: Int {
        transfers.values.count { !$0.isAwaited } + beginning.values.count { !$0.isAwaited }
    }

    /// Returns the next file to begin; ``add(_:_:from:)`` or ``remove(_:)`` must follow.
    mutating func nextToBegin() -> (key: FileKey, file: SpooledFile)? {
        guard beginCount < Self.beginLimit else { return nil }
        let ofBacklog = backlogBeginCount
        // The last place is reserved for the backlog, which a continuous stream of new shots would keep out.
        let isLastPlace = ofBacklog == 0 && beginCount == Self.beginLimit - 1
        if let (key, file) = awaited.elements.first, !isLastPlace || backlog.isEmpty {
            awaited.removeFirst()
            begin(key, isAwaited: true)
            return (key, file)
        }
        guard ofBacklog < Self.backlogLimit, let (key, file) = backlog.elements.first else { return nil }
        let settlingShots = Set(settling.map(\.capture.shot))
        // A shot that is already begun is finished, however many cameras it has.
        guard settlingShots.count < Self.settlingLimit || settlingShots.contains(key.capture.shot) else { return nil }
        backlog.removeFirst()
        begin(key, isAwaited: false)
        return (key, file)
    }

    private mutating func begin(_ key: FileKey, isAwaited: Bool) {
        begunCount += 1
        beginning[key] = Beginning(isAwaited: isAwaited, number: begunCount)
    }

    /// Adds a file that was begun. Does nothing if it was added before.
    mutating func add(_ key: FileKey, _ file: SpooledFile, from offset: Int64) {
        if beginning[key] == nil { begin(key, isAwaited: true) }
        guard let begun = beginning.removeValue(forKey: key), transfers[key] == nil else { return }
        let transfer = Transfer(
            file: file, isAwaited: begun.isAwaited, number: begun.number, nextOffset: offset, receivedOffset: offset)
        let place = transfers.values.firstIndex { $0.number > begun.number } ?? transfers.count
        transfers.updateValue(transfer, forKey: key, insertingAt: place)
    }

    /// Removes a file, finished or given up.
    mutating func remove(_ key: FileKey) {
        beginning[key] = nil
        transfers[key] = nil
        outstanding.removeAll { $0.key.key == key }
    }

    /// Removes a file that will not arrive, also one that still waits.
    /// - Returns: false if the file is being begun, or is complete; then it stays.
    mutating func abandon(_ key: FileKey) -> Bool {
        guard beginning[key] == nil, !isWhole(key) else { return false }
        awaited[key] = nil
        backlog[key] = nil
        remove(key)
        return true
    }

    /// Removes a file that is in its place; ``released(_:)`` must follow when a manifest says so.
    mutating func stored(_ key: FileKey) {
        if transfers[key]?.isAwaited == false { settling.insert(key) }
        remove(key)
    }

    /// Notes that a durable manifest says that the file is in its place, or that none will.
    mutating func released(_ key: FileKey) {
        settling.remove(key)
    }

    /// Returns when to check this queue again if nothing arrives: as soon as a chunk may be requested, even if that
    /// instant has passed, and when the chunks in flight are overdue.
    /// - Parameters:
    ///   - earliest: When the pace allows the next chunk.
    ///   - mayAsk: Whether a chunk may be requested at all.
    func nextWake(askingFrom earliest: LocalTime, mayAsk: Bool = true) -> LocalTime? {
        [deadline, ranks.isEmpty || !mayAsk ? nil : earliest].compactMap(\.self).min()
    }

    /// The ranks for which the window has room for a chunk.
    var ranks: Set<CollectRank> { hasRoom ? Set(transfers.values.filter(\.hasMore).map(\.rank)) : [] }

    private var hasRoom: Bool { outstanding.count < Self.window && pendingCount < Self.unwrittenLimit }

    /// Whether the backlog has chunks to request, regardless of the window.
    var hasBacklog: Bool { transfers.values.contains { $0.rank == .backlog && $0.hasMore } }

    /// Returns the next chunk to request, within the window; nil if there is none.
    /// - Parameters:
    ///   - rank: The rank of the chunk; nil for the first rank that has one.
    ///   - limit: The largest number of bytes.
    mutating func next(
        _ rank: CollectRank? = nil, limit: Int64 = CollectQueue.chunkByteCount, at now: LocalTime
    ) -> CollectChunk? {
        guard let rank = rank ?? ranks.min(), hasRoom,
            let index = transfers.values.firstIndex(where: { $0.rank == rank && $0.hasMore })
        else { return nil }
        let (key, transfer) = transfers.elements[index]
        let count = min(limit, transfer.file.byteCount - transfer.nextOffset)
        let chunk = CollectChunk(key: key, offset: transfer.nextOffset, count: count)
        transfers[key]?.nextOffset += count
        outstanding[chunk] = now
        return chunk
    }

    /// The meaning of a chunk's arrival.
    enum Arrival: Hashable, Sendable {
        /// It is the continuation of its file.
        case taken
        /// It has fewer bytes than requested although they are within the file: the node's copy is not what it
        /// announced.
        case short
        /// It was not requested, or an earlier one of its file is missing. It is dropped.
        case unexpected
    }

    /// Processes the arrival of a chunk.
    mutating func received(_ chunk: CollectChunk, at now: LocalTime) -> Arrival {
        guard let asked = outstanding.keys.first(where: { $0.key == chunk.key && $0.offset == chunk.offset }),
            let transfer = transfers[chunk.key], transfer.receivedOffset == chunk.offset, chunk.count <= asked.count
        else { return .unexpected }
        outstanding[asked] = nil
        lastArrival = now
        patience.reset()
        guard chunk.count == asked.count else { return .short }
        transfers[chunk.key]?.receivedOffset += chunk.count
        transfers[chunk.key]?.writing += 1
        unwrittenCount += 1
        return .taken
    }

    /// Notes that the store has written a received chunk, or has failed to.
    mutating func written(_ key: FileKey) {
        unwrittenCount = max(0, unwrittenCount - 1)
        if let writing = transfers[key]?.writing { transfers[key]?.writing = max(0, writing - 1) }
    }

    /// Returns whether every byte of `key` is received and written.
    func isComplete(_ key: FileKey) -> Bool { isWhole(key) && transfers[key]?.writing == 0 }

    /// Returns whether every byte of `key` is received.
    func isWhole(_ key: FileKey) -> Bool {
        transfers[key].map { $0.receivedOffset == $0.file.byteCount } ?? false
    }

    /// Notes a reconnection. Chunks in flight will be requested again, and the manifests of stored files are not
    /// awaited.
    mutating func reconnected() {
        settling = []
        restart()
    }

    /// Drops the chunks in flight, so that they are requested again.
    mutating func restart() {
        outstanding.removeAll()
        for key in transfers.keys {
            guard let received = transfers[key]?.receivedOffset else { continue }
            transfers[key]?.nextOffset = received
        }
    }

    /// Restarts if the oldest chunk is overdue.
    /// - Returns: Whether it did.
    mutating func restartIfOverdue(at now: LocalTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        restart()
        patience.advance()
        return true
    }
}

/// Decides whose chunk is requested next when the rate has room for one. The first rank that any node has is served
/// first, and nodes take turns within a rank.
///
/// Files that nobody waits for keep a share: while some wait, at least one of ten requested bytes is theirs, within one
/// chunk. A stream of new shots therefore slows an old backlog but never stops it.
///
/// A value without a clock or sockets.
struct CollectTurns: Sendable {
    /// One of this many bytes belongs to the backlog.
    static let share: Int64 = 10

    /// Limit on the bytes of one chunk.
    private let chunkByteCount: Int64
    /// Bytes of other files that were requested while the backlog waited, minus those that it has made up for.
    private var credit: Int64 = 0
    private var last: [CollectRank: NodeName] = [:]

    init(chunkByteCount: Int64) {
        self.chunkByteCount = chunkByteCount
    }

    /// - Parameter wishes: For each node, the ranks of which a chunk may be requested.
    mutating func next(among wishes: [NodeName: Set<CollectRank>]) -> (node: NodeName, rank: CollectRank)? {
        let ranks = wishes.values.reduce(into: Set<CollectRank>()) { $0.formUnion($1) }
        guard let first = ranks.min() else { return nil }
        let isBacklogDue = credit >= chunkByteCount * (Self.share - 1)
        let rank = isBacklogDue && ranks.contains(.backlog) ? .backlog : first
        let nodes = wishes.filter { $0.value.contains(rank) }.keys
        guard let node = nodes.filter({ node in last[rank].map { $0 < node } ?? true }).min() ?? nodes.min() else {
            return nil
        }
        last[rank] = node
        return (node, rank)
    }

    /// Notes requested bytes.
    /// - Parameter isBacklogWaiting: Whether any file of the backlog waits.
    mutating func spent(_ byteCount: Int64, on rank: CollectRank, isBacklogWaiting: Bool) {
        if rank == .backlog {
            credit = max(0, credit - byteCount * (Self.share - 1))
        } else if isBacklogWaiting {
            // Bounded: a share that the backlog could not use, because its nodes were busy, is not saved up.
            credit = min(credit + byteCount, chunkByteCount * Self.share)
        }
    }
}
