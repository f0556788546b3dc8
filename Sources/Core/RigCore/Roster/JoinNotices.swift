import CaptureModel
import OrderedCollections

/// Which joinings and refusals of nodes are told, so that nobody who says hello over and over, under whatever names and
/// lives, fills the event log.
///
/// | | first word of a node for `interval` | sooner |
/// |---|---|---|
/// | joined, in a life that was not known | told, `burst` of all nodes in an interval | kept back; the newest stands for all, with their count |
/// | refused, another life than the last refused | as above | as above |
/// | refused, the same life | – | – |
///
/// What was kept back is told once its node's interval is over. A value without clock; bounded by `limit` nodes, beyond
/// which nothing is told of further names until others have had their turn.
struct JoinNotices: Sendable {
    static let interval = Duration.seconds(2)
    static let burst = 32
    static let limit = Roster.nodeLimit

    /// What is told of a node.
    struct Notice: Sendable {
        var name: EventName
        var node: NodeName
        var details: [String: String]
        /// So many of them, of which this is the last.
        var count: UInt64 = 1
    }

    private struct Turn {
        var begun: LocalTime
        var kept: Notice?
    }

    private var turns: OrderedDictionary<NodeName, Turn> = [:]
    private var refused: [NodeName: Epoch] = [:]
    private var burstBegun: LocalTime?
    private var told = 0

    /// A node has joined.
    mutating func joined(_ node: NodeName, devices: Int, at now: LocalTime) -> Notice? {
        refused[node] = nil
        return note(
            Notice(
                name: .node(.connected), node: node, details: ["node": node.rawValue, "devices": "\(devices)"]), at: now
        )
    }

    /// A node's hello was refused.
    mutating func refused(_ node: NodeName, _ epoch: Epoch, _ problem: CaptureProblem, at now: LocalTime) -> Notice? {
        guard refused[node] != epoch else { return nil }
        // Names that nobody takes in are told of again after so many others.
        if refused.count >= Self.limit { refused = [:] }
        refused[node] = epoch
        return note(
            Notice(
                name: .node(.refused), node: node, details: ["node": node.rawValue, "reason": problem.message]), at: now
        )
    }

    /// What was kept back and is to be told at this instant.
    mutating func due(at now: LocalTime) -> [Notice] {
        turns.removeAll { $0.value.kept == nil && $0.value.begun + Self.interval <= now }
        var notices: [Notice] = []
        for (node, turn) in turns where turn.begun + Self.interval <= now {
            guard let kept = turn.kept, mayTell(at: now) else { continue }
            turns[node] = Turn(begun: now)
            notices.append(kept)
        }
        return notices
    }

    private mutating func note(_ notice: Notice, at now: LocalTime) -> Notice? {
        if let turn = turns[notice.node], turn.kept != nil || turn.begun + Self.interval > now {
            keep(notice, after: turn.kept)
            return nil
        }
        guard turns[notice.node] != nil || turns.count < Self.limit else { return nil }
        turns[notice.node] = Turn(begun: now)
        guard mayTell(at: now) else {
            keep(notice, after: nil)
            return nil
        }
        return notice
    }

    private mutating func keep(_ notice: Notice, after kept: Notice?) {
        turns[notice.node]?.kept = notice
        turns[notice.node]?.kept?.count += kept?.count ?? 0
    }

    private mutating func mayTell(at now: LocalTime) -> Bool {
        if let begun = burstBegun, begun + Self.interval > now {
            told += 1
        } else {
            (burstBegun, told) = (now, 1)
        }
        return told <= Self.burst
    }
}
