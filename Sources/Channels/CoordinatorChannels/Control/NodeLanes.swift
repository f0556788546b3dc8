import CaptureModel
import DequeModule
import RigCore

/// Messages that wait for others of their node, in order; nodes wait side by side.
///
/// A node has a lane only while messages of it wait, so that names nobody has heard of take no place for long. What is
/// beyond a bound is refused: messages and bytes of one node, nodes, and bytes of all nodes together, since whoever may connect
/// may use every name there is. Bytes are those of the messages as they came; decoded they take a small multiple.
struct NodeLanes<Element: Sendable>: Sendable {
    static var laneLimit: Int { Roster.nodeLimit }
    static var laneLength: Int { 4096 }
    static var laneByteLimit: Int { 16 << 20 }
    static var byteLimit: Int { 32 << 20 }

    enum Admission: Equatable {
        /// The first of its node: somebody has to begin working the lane off.
        case opened
        case queued
        /// Too many nodes.
        case noLane
        /// Too much of this node or of all.
        case full
    }

    private struct Lane {
        var messages: Deque<(element: Element, byteCount: Int)> = []
        var byteCount = 0
    }

    private var lanes: [NodeName: Lane] = [:]
    private(set) var byteCount = 0

    mutating func append(_ element: Element, byteCount added: Int, for node: NodeName) -> Admission {
        let isOpen = lanes[node] != nil
        guard isOpen || lanes.count < Self.laneLimit else { return .noLane }
        var lane = lanes.removeValue(forKey: node) ?? Lane()
        let fits =
            lane.messages.count < Self.laneLength && lane.byteCount + added <= Self.laneByteLimit
            && byteCount + added <= Self.byteLimit
        if fits {
            lane.messages.append((element, added))
            lane.byteCount += added
            byteCount += added
        }
        if !lane.messages.isEmpty { lanes[node] = lane }
        return fits ? (isOpen ? .queued : .opened) : .full
    }

    /// The message whose turn it is; it stays, so that what comes meanwhile waits behind it.
    func first(of node: NodeName) -> Element? { lanes[node]?.messages.first?.element }

    /// Lets go of the message whose turn it was, and of the lane with the last one.
    mutating func removeFirst(of node: NodeName) {
        guard var lane = lanes.removeValue(forKey: node), let first = lane.messages.popFirst() else { return }
        lane.byteCount -= first.byteCount
        byteCount -= first.byteCount
        if !lane.messages.isEmpty { lanes[node] = lane }
    }
}
