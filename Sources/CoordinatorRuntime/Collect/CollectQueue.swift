import CaptureModel
import OrderedCollections

/// Which chunk of which file is asked for next of one node; at most `window` chunks are under way.
///
/// A value without sockets or disk. Chunks of a file are asked for in order and the channel keeps order, so the bytes
/// received of a file are always its beginning.
struct CollectQueue: Sendable {
    /// Bytes of one chunk, at most.
    static let chunkByteCount: Int64 = 256 * 1024
    /// Chunks asked for and not yet received, at most.
    static let window = 8
    /// When no chunk has come for so long, those under way are asked for again; doubled for each time in vain.
    static let patience = Duration.seconds(2)
    static let longestPatience = Duration.seconds(60)

    struct Transfer: Sendable {
        var file: SpooledFile
        var nextOffset: Int64
        var receivedOffset: Int64
    }

    struct Chunk: Hashable, Sendable {
        var key: FileKey
        var offset: Int64
        var count: Int64
    }

    private var transfers: OrderedDictionary<FileKey, Transfer> = [:]
    private var outstanding: OrderedDictionary<Chunk, LocalTime> = [:]

    var isEmpty: Bool { transfers.isEmpty }

    /// The file under way with this key.
    func file(_ key: FileKey) -> SpooledFile? { transfers[key]?.file }

    private var patience = CollectQueue.patience
    private var lastArrival: LocalTime?

    /// When the chunks under way are overdue; nil when none is. The channel keeps order, so one that arrives shows that
    /// the others are on their way.
    var deadline: LocalTime? {
        outstanding.values.first.map { asked in max(asked, lastArrival ?? asked) + patience }
    }

    /// Adds a file; harmless when it is there already.
    mutating func add(_ key: FileKey, _ file: SpooledFile, from offset: Int64) {
        guard transfers[key] == nil else { return }
        transfers[key] = Transfer(file: file, nextOffset: offset, receivedOffset: offset)
    }

    /// Removes a file, finished or given up.
    mutating func remove(_ key: FileKey) {
        transfers[key] = nil
        outstanding.removeAll { $0.key.key == key }
    }

    /// The next chunk to ask for, within the window; nil when there is none.
    mutating func next(at now: LocalTime) -> Chunk? {
        guard outstanding.count < Self.window,
            let index = transfers.values.firstIndex(where: { $0.nextOffset < $0.file.byteCount })
        else { return nil }
        let (key, transfer) = transfers.elements[index]
        let count = min(Self.chunkByteCount, transfer.file.byteCount - transfer.nextOffset)
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
        (lastArrival, patience) = (now, Self.patience)
        guard chunk.count == asked.count else { return .short }
        transfers[chunk.key]?.receivedOffset += chunk.count
        return .taken
    }

    /// Whether every byte of `key` has come.
    func isWhole(_ key: FileKey) -> Bool {
        transfers[key].map { $0.receivedOffset == $0.file.byteCount } ?? false
    }

    /// Forgets what is under way, as when the connection was made anew: it will be asked for again.
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
        patience = min(patience * 2, Self.longestPatience)
        return true
    }
}
