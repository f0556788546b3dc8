import CaptureModel

/// Requests about devices on their way to a node and back.
///
/// | event | request under way | else |
/// |---|---|---|
/// | begun | – | its node connected: sent; away, or too many: refused |
/// | repeated, under the id of the first | joined | answered with the first one's outcome, while that is kept |
/// | answered by its node | ends with the answer | ignored |
/// | its node connects, same life of the agent | sent again; the agent carries out each number once | – |
/// | its node connects, another life | ends: `agentRestarted` | – |
/// | its node has gone | ends: `nodeUnreachable` | – |
/// | its deadline has passed | ends: `nodeUnreachable` | – |
///
/// A value without clock or socket. Numbers are unique within an epoch of the coordinator; messages of other epochs,
/// either side's, never get here.
struct DeviceRelay: Sendable {
    /// Requests under way, in all and to one node; further ones are refused.
    static let limit = 256
    static let limitPerNode = 32

    /// What came of a request.
    typealias Outcome = Result<DeviceReply, CaptureProblem>

    enum Event {
        case answered(UInt64, by: NodeName, Outcome)
        case nodeConnected(NodeName, hasRestarted: Bool)
        case nodeGone(NodeName)
        case deadlinePassed(at: LocalTime)
    }

    enum Action {
        case send(UInt64, DeviceRequest)
        /// The last action of a request.
        case finish(UInt64, Outcome)
    }

    private struct UnderWay {
        var request: DeviceRequest
        var deadline: LocalTime
    }

    private var underWay: [UInt64: UnderWay] = [:]
    private var outcomes = DeviceOutcomes()
    private var lastNumber: UInt64 = 0

    /// What is known of a request that its client repeats.
    enum Earlier {
        /// The first one is on its way under this number.
        case underWay(UInt64)
        case ended(Outcome)
    }

    /// When ``Event/deadlinePassed(at:)`` is to come next.
    var nextDeadline: LocalTime? { underWay.values.map(\.deadline).min() }

    var count: Int { underWay.count }

    /// Whether the request with this number is under way at this node.
    func awaits(_ number: UInt64, of node: NodeName) -> Bool { underWay[number]?.request.node == node }

    /// Looks for a request under the same id.
    /// - Returns: nil where there is none, and the request is to begin.
    /// - Throws: `conflict` where another request has this id.
    func earlier(_ request: DeviceRequest) throws(CaptureProblem) -> Earlier? {
        guard let id = request.id else { return nil }
        if let first = underWay.first(where: { $0.value.request.id == id }) {
            try requireSame(first.value.request, request)
            return .underWay(first.key)
        }
        guard let kept = outcomes[id] else { return nil }
        try requireSame(kept.request, request)
        return .ended(kept.outcome)
    }

    private func requireSame(_ first: DeviceRequest, _ request: DeviceRequest) throws(CaptureProblem) {
        guard first == request else {
            throw CaptureProblem(
                .conflict, "\(request.subject): the id of this request was used for another one; choose one at random")
        }
    }

    /// Begins a request.
    /// - Returns: Its number, under which it is sent to its node and ends.
    mutating func begin(
        _ request: DeviceRequest, at now: LocalTime, isConnected: Bool
    ) throws(CaptureProblem) -> (number: UInt64, action: Action) {
        let node = request.node
        guard isConnected else {
            throw CaptureProblem(
                .nodeUnreachable,
                "\(request.subject): the agent of node '\(node)' is not connected; is it running and on the network?")
        }
        let toNode = underWay.values.count { $0.request.node == node }
        guard underWay.count < Self.limit, toNode < Self.limitPerNode else {
            throw CaptureProblem(
                .noMemory,
                "\(request.subject): \(Self.limit) requests about devices, or \(Self.limitPerNode) to this node, "
                    + "are under way; ask again when some have ended")
        }
        lastNumber += 1
        underWay[lastNumber] = UnderWay(request: request, deadline: now + request.timeout)
        return (lastNumber, .send(lastNumber, request))
    }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .answered(let number, let node, let outcome):
            guard underWay[number]?.request.node == node else { return [] }
            return [finish(number, outcome)]
        case .nodeConnected(let node, hasRestarted: false):
            return requests(to: node).map { .send($0.key, $0.value.request) }
        case .nodeConnected(let node, hasRestarted: true):
            return end(requests(to: node), .agentRestarted, "the agent of node '\(node)' has restarted")
        case .nodeGone(let node):
            return end(requests(to: node), .nodeUnreachable, "the agent of node '\(node)' is not connected any more")
        case .deadlinePassed(let now):
            let late = underWay.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
            return end(late, .nodeUnreachable, "the node has not answered in time")
        }
    }

    private func requests(to node: NodeName) -> [(key: UInt64, value: UnderWay)] {
        underWay.filter { $0.value.request.node == node }.sorted { $0.key < $1.key }
    }

    private mutating func end(
        _ requests: [(key: UInt64, value: UnderWay)], _ code: CaptureProblem.Code, _ reason: String
    ) -> [Action] {
        requests.map { number, ended in
            let message = "\(ended.request.subject): \(reason); whether the request was carried out is not known"
            return finish(number, .failure(CaptureProblem(code, message)))
        }
    }

    private mutating func finish(_ number: UInt64, _ outcome: Outcome) -> Action {
        if let request = underWay.removeValue(forKey: number)?.request { outcomes.keep(outcome, of: request) }
        return .finish(number, outcome)
    }
}
