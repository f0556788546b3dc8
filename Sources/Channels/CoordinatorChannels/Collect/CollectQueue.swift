import CaptureModel
import OrderedCollections

/// Which chunk of which file is asked for next of one node; at most `window` chunks are under way.
///
/// A file waits, is begun (the library opens its part), is received, and is removed once it is in its place or given up.
/// Files of shots that somebody waits for come before all others, at every step; the others, the backlog, come in the
/// order in which they were added and leave room for them. So a new shot waits for the window, never for a backlog.
/// ``CollectTurns`` says how nodes share a rate.
///
/// A value without sockets or disk. Chunks of a file are asked for in order and the channel keeps order, so the bytes
/// received of a file are always its beginning.
struct CollectQueue: Sendable {
    /// Bytes of one chunk, at most.
    static let chunkByteCount: Int64 = 256 * 1024
    /// Chunks asked for and not yet received, at most.
    static let window = 8
    /// Files begun and not removed, at most, so that a long backlog takes neither memory nor descriptors.
    static let beginLimit = 16
    /// Of them, those of the backlog.
    static let backlogLimit = 8
    /// Shots of the backlog with files in their place that no durable manifest names yet, at most: so many manifests a
    /// new shot may find waiting before its own.
    static let settlingLimit = 8
    /// When no chunk has come for so long, those under way are asked for again; doubled for each time in vain.
    static let patience = RetryDelay(first: .seconds(2), last: .seconds(60))

    struct Transfer: Sendable {
        var file: SpooledFile
        var isAwaited: Bool
        var nextOffset: Int64
        var receivedOffset: Int64
        /// Chunks that have come and are not written yet.
        var writing = 0

        var rank: CollectRank { CollectRank(file.kind, isAwaited: isAwaited) }
        var hasMore: Bool { nextOffset < file.byteCount }
    }

    struct Chunk: Hashable, Sendable {
        var key: FileKey
        var offset: Int64
        var count: Int64
    }

    /// Files not begun yet.
    private var awaited: OrderedDictionary<FileKey, SpooledFile> = [:]
    private var backlog: OrderedDictionary<FileKey, SpooledFile> = [:]
    /// Files that are being begun, and whether each is awaited.
    private var beginning: [FileKey: Bool] = [:]
    /// Files of the backlog that are in their place, until a manifest says so.
    private var settling: Set<FileKey> = []
    private var transfers: OrderedDictionary<FileKey, Transfer> = [:]
    private var outstanding: OrderedDictionary<Chunk, LocalTime> = [:]

    var isEmpty: Bool { transfers.isEmpty }

    /// The file under way with this key.
    func file(_ key: FileKey) -> SpooledFile? { transfers[key]?.file }

    /// The files of a shot that wait, are being begun or are under way.
    func keys(of shot: ShotID) -> [FileKey] {
        [Array(awaited.keys), Array(backlog.keys), Array(beginning.keys), Array(transfers.keys)].joined()
            .filter { $0.capture.shot == shot }
    }

    /// Whether somebody waits for the file with this key, which is being begun or under way.
    func isAwaited(_ key: FileKey) -> Bool { transfers[key]?.isAwaited ?? beginning[key] ?? false }

    private var patience = CollectQueue.patience
    private var lastArrival: LocalTime?

    /// When the chunks under way are overdue; nil when none is. The channel keeps order, so one that arrives shows that
    /// the others are on their way.
    var deadline: LocalTime? {
        outstanding.values.first.map { asked in max(asked, lastArrival ?? asked) + patience.next }
    }

    /// Lets a file wait for its turn; harmless when it does already, or is under way.
    mutating func wait(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) {
        guard transfers[key] == nil, beginning[key] == nil else { return }
        if isAwaited {
            backlog[key] = nil
            awaited[key] = file
        } else if awaited[key] == nil {
            backlog[key] = file
        }
    }

    /// Somebody waits for the files of a shot, or nobody does any more.
    mutating func prioritize(_ shot: ShotID, _ isAwaited: Bool) {
        for key in transfers.keys where key.capture.shot == shot { transfers[key]?.isAwaited = isAwaited }
        for key in beginning.keys where key.capture.shot == shot { beginning[key] = isAwaited }
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

    /// Puts back a file that somebody had waited for and nobody does any more, where such ones take the places of files that
    /// are waited for.
    /// - Returns: The file, which the library is to let go of; nil where there is room.
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
    private var backlogBeginCount: Int { transfers.values.count { !$0.isAwaited } + beginning.values.count { !$0 } }

    /// The next file to begin; ``add(_:_:from:)`` or ``remove(_:)`` is to follow.
    mutating func nextToBegin() -> (key: FileKey, file: SpooledFile)? {
        guard beginCount < Self.beginLimit else { return nil }
        let ofBacklog = backlogBeginCount
        // The last place is the backlog's, which new shots without end would keep out.
        let isLastPlace = ofBacklog == 0 && beginCount == Self.beginLimit - 1
        if let (key, file) = awaited.elements.first, !isLastPlace || backlog.isEmpty {
            awaited.removeFirst()
            beginning[key] = true
            return (key, file)
        }
        guard ofBacklog < Self.backlogLimit, let (key, file) = backlog.elements.first else { return nil }
        let settlingShots = Set(settling.map(\.capture.shot))
        // The shot that is begun already is finished, however many cameras it has.
        guard settlingShots.count < Self.settlingLimit || settlingShots.contains(key.capture.shot) else { return nil }
        backlog.removeFirst()
        beginning[key] = false
        return (key, file)
    }

    /// Adds a file that was begun; harmless when it is there already.
    mutating func add(_ key: FileKey, _ file: SpooledFile, from offset: Int64) {
        let isAwaited = beginning.removeValue(forKey: key) ?? true
        guard transfers[key] == nil else { return }
        transfers[key] = Transfer(file: file, isAwaited: isAwaited, nextOffset: offset, receivedOffset: offset)
    }

    /// Removes a file, finished or given up.
    mutating func remove(_ key: FileKey) {
        beginning[key] = nil
        transfers[key] = nil
        outstanding.removeAll { $0.key.key == key }
    }

    /// Removes a file that will not come, also one that still waits.
    /// - Returns: false where it is being begun, or is whole: it stays then.
    mutating func abandon(_ key: FileKey) -> Bool {
        guard beginning[key] == nil, !isWhole(key) else { return false }
        awaited[key] = nil
        backlog[key] = nil
        remove(key)
        return true
    }

    /// Removes a file that is in its place; ``released(_:)`` is to follow once a manifest says so.
    mutating func stored(_ key: FileKey) {
        if transfers[key]?.isAwaited == false { settling.insert(key) }
        remove(key)
    }

    /// A durable manifest says that the file is in its place, or none ever will.
    mutating func released(_ key: FileKey) {
        settling.remove(key)
    }

    /// When to look at this queue again if nothing comes: as soon as there is a chunk that may be asked for, whether that
    /// instant lies ahead or has passed since the last look, and when what is under way is overdue.
    /// - Parameter earliest: When the pace allows the next chunk.
    func nextWake(askingFrom earliest: LocalTime) -> LocalTime? {
        [deadline, ranks.isEmpty ? nil : earliest].compactMap(\.self).min()
    }

    /// The ranks of which the window has room for a chunk.
    var ranks: Set<CollectRank> {
        outstanding.count < Self.window ? Set(transfers.values.filter(\.hasMore).map(\.rank)) : []
    }

    /// Whether files wait that nobody waits for, whatever the window has room for.
    var hasBacklog: Bool { transfers.values.contains { $0.rank == .backlog && $0.hasMore } }

    /// The next chunk to ask for, within the window; nil when there is none.
    /// - Parameters:
    ///   - rank: Of which; otherwise of the first that has one.
    ///   - limit: Its bytes, at most.
    mutating func next(
        _ rank: CollectRank? = nil, limit: Int64 = CollectQueue.chunkByteCount, at now: LocalTime
    ) -> Chunk? {
        guard let rank = rank ?? ranks.min(), outstanding.count < Self.window,
            let index = transfers.values.firstIndex(where: { $0.rank == rank && $0.hasMore })
        else { return nil }
        let (key, transfer) = transfers.elements[index]
        let count = min(limit, transfer.file.byteCount - transfer.nextOffset)
        let chunk = Chunk(key: key, offset: transfer.nextOffset, count: count)
        transfers[key]?.nextOffset += count
        outstanding[chunk] = now
        return chunk
    }

    /// What the arrival of a chunk means.
    enum Arrival: Hashable, Sendable {
        /// It is the continuation of its file.
        case taken
        /// It has fewer bytes than were asked for, which lie within the file: the node's copy is not what it announced.
        case short
        /// It was not asked for, or another one of its file is missing; it is dropped.
        case unexpected
    }

    /// Takes the arrival of a chunk.
    mutating func received(_ chunk: Chunk, at now: LocalTime) -> Arrival {
        guard let asked = outstanding.keys.first(where: { $0.key == chunk.key && $0.offset == chunk.offset }),
            let transfer = transfers[chunk.key], transfer.receivedOffset == chunk.offset, chunk.count <= asked.count
        else { return .unexpected }
        outstanding[asked] = nil
        lastArrival = now
        patience.reset()
        guard chunk.count == asked.count else { return .short }
        transfers[chunk.key]?.receivedOffset += chunk.count
        transfers[chunk.key]?.writing += 1
        return .taken
    }

    /// The library has written a chunk that was taken.
    mutating func written(_ key: FileKey) {
        if let writing = transfers[key]?.writing { transfers[key]?.writing = max(0, writing - 1) }
    }

    /// Whether every byte of `key` has come.
    func isWhole(_ key: FileKey) -> Bool {
        transfers[key].map { $0.receivedOffset == $0.file.byteCount } ?? false
    }

    /// The connection was made anew: what is under way will be asked for again, and what is in its place is no longer
    /// waited for.
    mutating func reconnected() {
        settling = []
        restart()
    }

    /// Forgets what is under way: it will be asked for again.
    mutating func restart() {
        outstanding.removeAll()
        for key in transfers.keys {
            guard let received = transfers[key]?.receivedOffset else { continue }
            transfers[key]?.nextOffset = received
        }
    }

    /// Restarts when the oldest chunk is overdue.
    /// - Returns: whether it did.
    mutating func restartIfOverdue(at now: LocalTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        restart()
        patience.take()
        return true
    }
}
