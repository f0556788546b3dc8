/// Messages that wait for one peer, bounded in number and bytes; one of any size may wait alone, so that every message that
/// may be sent has a place.
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
