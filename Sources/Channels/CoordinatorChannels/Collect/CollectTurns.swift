import CaptureModel

/// Whose chunk is asked for next when the rate has room for one: of all nodes, the first rank that has one, and within a rank
/// one node after the other.
///
/// Files that nobody waits for keep a share: while some wait, of ten bytes that are asked for at least one is theirs, a chunk
/// more or less. So a stream of new shots slows an old backlog and never stops it.
///
/// A value without clock and sockets.
struct CollectTurns: Sendable {
    /// One of so many bytes is the backlog's.
    static let share: Int64 = 10

    /// Bytes of one chunk, at most.
    private let chunkByteCount: Int64
    /// Bytes of others that were asked for while the backlog waited, less those that it has made good for.
    private var credit: Int64 = 0
    private var last: [CollectRank: NodeName] = [:]

    init(chunkByteCount: Int64) {
        self.chunkByteCount = chunkByteCount
    }

    /// - Parameter wishes: For each node the ranks of which a chunk may be asked for.
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

    /// Notes what was asked for.
    /// - Parameter isBacklogWaiting: Whether any file waits for which nobody does.
    mutating func spent(_ byteCount: Int64, on rank: CollectRank, isBacklogWaiting: Bool) {
        if rank == .backlog {
            credit = max(0, credit - byteCount * (Self.share - 1))
        } else if isBacklogWaiting {
            // Bounded: what it could not use, since its nodes were busy, is not saved up.
            credit = min(credit + byteCount, chunkByteCount * Self.share)
        }
    }
}
