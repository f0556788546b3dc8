import CaptureModel
import OrderedCollections

/// Decides which joins and refusals of nodes are announced, so that repeated hellos, with any names and epochs, do not
/// fill the event log.
///
/// | | first hello of a node within `interval` | sooner |
/// |---|---|---|
/// | joined, with an unknown epoch | announced, at most `burst` of all nodes per interval | held back; the newest has their count |
/// | refused, with another epoch than the last refused one | as above | as above |
/// | refused, with the same epoch | – | – |
///
/// A notice that is held back is announced when its node's interval ends. A value without a clock. Bounded by `limit`
/// nodes; further names are not announced until others have had their turn.
struct JoinNoticeLimiter: Sendable {
    static let interval = Duration.seconds(2)
    static let burst = 32
    static let limit = Roster.nodeLimit

    /// An announcement about a node.
    struct Notice: Sendable {
        var name: EventName
        var node: NodeName
        var details: [String: String]
        /// The number of joins or refusals that this notice represents; it is the last of them.
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

    /// Notes that a node has joined.
    mutating func joined(_ node: NodeName, devices: Int, at now: LocalTime) -> Notice? {
        refused[node] = nil
        return note(
            Notice(
                name: .node(.connected), node: node, details: ["node": node.rawValue, "devices": "\(devices)"]), at: now
        )
    }

    /// Notes that a node's hello was refused.
    mutating func refused(_ node: NodeName, _ epoch: Epoch, _ problem: RigProblem, at now: LocalTime) -> Notice? {
        guard refused[node] != epoch else { return nil }
        // After this many other refusals, a refused name is announced again.
        if refused.count >= Self.limit { refused = [:] }
        refused[node] = epoch
        return note(
            Notice(
                name: .node(.refused), node: node, details: ["node": node.rawValue, "reason": problem.message]), at: now
        )
    }

    /// Returns the notices that were held back and are due.
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
