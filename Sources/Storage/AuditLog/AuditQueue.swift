internal import DequeModule
internal import PosixSupport

/// Entries that wait for an audit log, in the order of the calls. Callers do not wait. Safe from any thread.
///
/// | queue | an entry is recorded | an entry is committed |
/// |---|---|---|
/// | holds fewer than ``limit`` entries | it waits | it waits |
/// | holds ``limit`` entries | it is dropped and counted | refused: `overloaded` |
///
/// As soon as there is room, an entry that says how many were dropped takes their place.
final class AuditQueue: Sendable {
    /// What became of an entry whose caller waits; nil until it is written or refused.
    typealias Reply = Locked<Result<AuditHead, AuditError>?>

    struct Item: Sendable {
        var entry: AuditEntry
        var realtimeNanoseconds: Int64
        var reply: Reply?
    }

    private struct State: Sendable {
        var waiting: Deque<Item> = []
        var underWay = 0
        /// Dropped and not yet reported in the log, and when the last one was.
        var lost: UInt64 = 0
        var lostAt: Int64 = 0
        var dropped: UInt64 = 0

        mutating func reportLost() {
            guard lost > 0 else { return }
            let entry = AuditEntry(.lost, subject: "\(lost) records were lost", details: ["count": "\(lost)"])
            waiting.append(Item(entry: entry, realtimeNanoseconds: lostAt, reply: nil))
            lost = 0
        }
    }

    let limit: Int
    private let state = Locked(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Entries that were dropped because the queue was full.
    var dropped: UInt64 { state.withLock { $0.dropped } }
    var isEmpty: Bool { state.withLock { $0.waiting.isEmpty && $0.underWay == 0 && $0.lost == 0 } }

    /// - Returns: Whether the entry waits; if not, it was dropped and counted, unless it has a reply.
    func append(_ item: Item) -> Bool {
        state.withLock { state in
            guard state.waiting.count + state.underWay < limit else {
                guard item.reply == nil else { return false }
                state.lost += 1
                state.lostAt = item.realtimeNanoseconds
                state.dropped += 1
                return false
            }
            state.reportLost()
            state.waiting.append(item)
            return true
        }
    }

    /// Takes the oldest entries, at most `count` and approximately `byteCount`. ``finish(returning:)`` must follow.
    func take(count: Int, byteCount: Int) -> [Item] {
        state.withLock { state in
            var batch: [Item] = []
            var room = byteCount
            if state.waiting.isEmpty { state.reportLost() }
            while batch.count < count, room > 0, let item = state.waiting.popFirst() {
                room -= item.entry.byteCount
                batch.append(item)
            }
            state.underWay = batch.count
            return batch
        }
    }

    /// Ends the work on a batch.
    /// - Parameter items: Those that must wait again.
    func finish(returning items: [Item] = []) {
        state.withLock { state in
            state.underWay = 0
            state.waiting.prepend(contentsOf: items)
        }
    }

    /// Removes the entries whose callers wait.
    func removeCommits() -> [Reply] {
        state.withLock { state in
            let replies = state.waiting.compactMap(\.reply)
            state.waiting.removeAll { $0.reply != nil }
            return replies
        }
    }
}
