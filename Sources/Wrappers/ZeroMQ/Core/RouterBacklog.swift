/// The queues of the peers that accept no more, and the time of the next attempt.
///
/// The first attempt follows after 1 ms, the resolution of `zmq_poll`. While no peer accepts anything the pause doubles up to 16 ms, so
/// that a stopped peer costs almost nothing. Any progress resets the pause.
struct RouterBacklog {
    static let shortestPauseNanoseconds: Int64 = 1_000_000
    static let longestPauseNanoseconds: Int64 = 16_000_000

    private let options: SocketOptions
    private var queues: [PeerID: SendQueue] = [:]
    private var pauseNanoseconds = shortestPauseNanoseconds
    private(set) var count = 0
    private(set) var byteCount = 0
    private(set) var retryAtNanoseconds: Int64?

    init(options: SocketOptions) { self.options = options }

    /// Returns whether messages wait for a peer. Further messages must then wait too, to keep the order.
    func holds(_ peer: PeerID) -> Bool { queues[peer] != nil }

    mutating func append(_ message: Message, for peer: PeerID, atNanoseconds now: Int64) -> SendQueue.Admission {
        var queue = queues.removeValue(forKey: peer) ?? SendQueue(options: options)
        let (countBefore, bytesBefore) = (queue.count, queue.byteCount)
        let admission = queue.append(message)
        count += queue.count - countBefore
        byteCount += queue.byteCount - bytesBefore
        guard !queue.isEmpty else { return admission }
        queues[peer] = queue
        if retryAtNanoseconds == nil {
            pauseNanoseconds = Self.shortestPauseNanoseconds
            retryAtNanoseconds = now + pauseNanoseconds
        }
        return admission
    }

    /// Tries every peer, and returns the number of messages discarded because their peer had disconnected.
    mutating func retry(atNanoseconds now: Int64, send: (Message, PeerID) -> SendAttempt) -> Int {
        var discarded = 0
        var hasProgress = false
        for peer in Array(queues.keys) {
            let result = drain(peer, send)
            discarded += result.discarded
            hasProgress = hasProgress || result.hasProgress
        }
        let doubled = min(pauseNanoseconds * 2, Self.longestPauseNanoseconds)
        pauseNanoseconds = hasProgress ? Self.shortestPauseNanoseconds : doubled
        retryAtNanoseconds = queues.isEmpty ? nil : now + pauseNanoseconds
        return discarded
    }

    /// Removes everything, and returns the number of removed messages.
    mutating func removeAll() -> Int {
        defer {
            queues = [:]
            (count, byteCount, retryAtNanoseconds) = (0, 0, nil)
        }
        return count
    }

    private mutating func drain(
        _ peer: PeerID, _ send: (Message, PeerID) -> SendAttempt
    ) -> (discarded: Int, hasProgress: Bool) {
        var sent = 0
        while let message = queues[peer]?.first {
            switch send(message, peer) {
            case .done:
                sent += 1
                remove(1, from: peer)
            case .wouldBlock: return (0, sent > 0)
            case .unreachable: return (remove(.max, from: peer), true)
            case .ended: return (0, false)
            }
        }
        return (0, sent > 0)
    }

    @discardableResult
    private mutating func remove(_ most: Int, from peer: PeerID) -> Int {
        guard var queue = queues.removeValue(forKey: peer) else { return 0 }
        let (countBefore, bytesBefore) = (queue.count, queue.byteCount)
        var left = most
        while left > 0, queue.removeFirst() { left -= 1 }
        count -= countBefore - queue.count
        byteCount -= bytesBefore - queue.byteCount
        if !queue.isEmpty { queues[peer] = queue }
        return countBefore - queue.count
    }
}

/// Messages that wait for one peer, bounded in number and bytes. A single message of any size may wait alone, so that every message that
/// may be sent can be queued.
struct SendQueue {
    let limit: Int
    let byteLimit: Int
    let policy: OverflowPolicy
    private var messages = Queue<Message>()
    private(set) var byteCount = 0

    enum Admission: Equatable {
        case queued(dropped: Int)
        case refused
    }

    init(options: SocketOptions) {
        limit = options.sendQueueLimit
        byteLimit = options.sendQueueByteLimit
        policy = options.overflowPolicy
    }

    var count: Int { messages.count }
    var isEmpty: Bool { messages.isEmpty }
    var first: Message? { messages.first }

    mutating func append(_ message: Message) -> Admission {
        let size = message.byteCount
        var dropped = 0
        guard limit > 0 else { return .refused }
        while count >= limit || !isEmpty && byteCount + size > byteLimit {
            guard policy == .dropOldest, removeFirst() else { return .refused }
            dropped += 1
        }
        messages.append(message)
        byteCount += size
        return .queued(dropped: dropped)
    }

    @discardableResult
    mutating func removeFirst() -> Bool {
        guard let message = messages.popFirst() else { return false }
        byteCount -= message.byteCount
        return true
    }
}
