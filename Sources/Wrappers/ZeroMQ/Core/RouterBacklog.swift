/// The queues of the peers that take no more, and when to try them again.
///
/// The first attempt comes after one millisecond, the resolution of `zmq_poll`. While no peer takes anything the pause
/// doubles up to sixteen, so that a peer that has stopped costs next to nothing; any progress resets it.
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

    /// Whether messages wait for a peer; then a message more must wait too, to keep the order.
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

    /// Tries every peer, and returns how many messages were discarded because their peer had gone.
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

    /// Forgets everything, and returns how many messages that were.
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
