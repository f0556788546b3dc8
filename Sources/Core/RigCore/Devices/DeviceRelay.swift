import CaptureModel

/// Requests about devices on their way to a node and back.
///
/// | event | request in progress | otherwise |
/// |---|---|---|
/// | begun | – | its node is connected: sent; not connected, or too many requests: refused |
/// | repeated with the same id | joined | answered with the first one's outcome, while that is kept |
/// | answered by its node | ends with the answer | ignored |
/// | its node connects, same run of the agent | sent again; the agent carries out each number once | – |
/// | its node connects, another run | ends: `agentRestarted` | – |
/// | its node has gone | ends: `nodeUnreachable` | – |
/// | its deadline has passed | ends: `nodeUnreachable` | – |
///
/// A value without a clock or a socket. Numbers are unique within an epoch of the coordinator. Messages of other
/// epochs, of either side, never arrive here.
struct DeviceRelay: Sendable {
    /// Limits on the requests in progress, in all and to one node. Further ones are refused.
    static let limit = 256
    static let limitPerNode = 32

    /// The outcome of a request.
    typealias Outcome = Result<DeviceReply, RigProblem>

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
        /// The first one is in progress under this number.
        case underWay(UInt64)
        case ended(Outcome)
    }

    /// When ``Event/deadlinePassed(at:)`` is due next.
    var nextDeadline: LocalTime? { underWay.values.map(\.deadline).min() }

    var count: Int { underWay.count }

    /// Returns whether the request with this number is in progress at this node.
    func awaits(_ number: UInt64, of node: NodeName) -> Bool { underWay[number]?.request.node == node }

    /// Looks for a request with the same id.
    /// - Returns: nil if there is none, and the request is to begin.
    /// - Throws: `conflict` if another request has this id.
    func earlier(_ request: DeviceRequest) throws(RigProblem) -> Earlier? {
        guard let id = request.id else { return nil }
        if let first = underWay.first(where: { $0.value.request.id == id }) {
            try requireSame(first.value.request, request)
            return .underWay(first.key)
        }
        guard let kept = outcomes[id] else { return nil }
        try requireSame(kept.request, request)
        return .ended(kept.outcome)
    }

    private func requireSame(_ first: DeviceRequest, _ request: DeviceRequest) throws(RigProblem) {
        guard first == request else {
            throw RigProblem(
                .conflict, "\(request.subject): the id of this request was used for another request; choose a random id"
            )
        }
    }

    /// Begins a request.
    /// - Returns: Its number, which identifies it to its node and at its end, and the action that sends it.
    mutating func begin(
        _ request: DeviceRequest, at now: LocalTime, isConnected: Bool
    ) throws(RigProblem) -> (number: UInt64, action: Action) {
        let node = request.node
        guard isConnected else {
            throw RigProblem(
                .nodeUnreachable,
                "\(request.subject): the agent of node '\(node)' is not connected; is it running and on the network?")
        }
        let toNode = underWay.values.count { $0.request.node == node }
        guard underWay.count < Self.limit, toNode < Self.limitPerNode else {
            throw RigProblem(
                .noMemory,
                "\(request.subject): \(Self.limit) requests about devices, or \(Self.limitPerNode) to this node, "
                    + "are under way; try again when some have ended")
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
            return end(requests(to: node), .nodeUnreachable, "the agent of node '\(node)' has disconnected")
        case .deadlinePassed(let now):
            let late = underWay.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
            return end(late, .nodeUnreachable, "the node has not answered in time")
        }
    }

    private func requests(to node: NodeName) -> [(key: UInt64, value: UnderWay)] {
        underWay.filter { $0.value.request.node == node }.sorted { $0.key < $1.key }
    }

    private mutating func end(
        _ requests: [(key: UInt64, value: UnderWay)], _ code: RigProblem.Code, _ reason: String
    ) -> [Action] {
        requests.map { number, ended in
            let message = "\(ended.request.subject): \(reason); whether the request was carried out is not known"
            return finish(number, .failure(RigProblem(code, message)))
        }
    }

    private mutating func finish(_ number: UInt64, _ outcome: Outcome) -> Action {
        if let request = underWay.removeValue(forKey: number)?.request { outcomes.keep(outcome, of: request) }
        return .finish(number, outcome)
    }
}

/// The outcomes of requests about devices, by the id that their client chose, for repeats.
///
/// The newest ``limit`` outcomes, which name at most ``captureLimit`` captures together, are kept. A repeat of an older
/// request is carried out again. A request that only reads is not kept, because its repeat can be carried out again.
struct DeviceOutcomes: Sendable {
    static let limit = 256
    /// Limit on captures. Nothing else is named in large numbers by a request or its outcome.
    static let captureLimit = 16_384

    struct Kept: Sendable {
        var request: DeviceRequest
        var outcome: DeviceRelay.Outcome

        /// Number of captures that both name.
        fileprivate var captureCount: Int {
            var count = 0
            if case .discardCaptures(let keys, _)? = request.command { count += keys.count }
            if case .success(.discarded(let captures)) = outcome { count += captures.count }
            return count
        }
    }

    private var kept: [UInt64: Kept] = [:]
    /// The ids, oldest first.
    private var ids: [UInt64] = []
    private var captureCount = 0
    /// Number of outcomes removed for newer ones.
    private(set) var forgotten: UInt64 = 0

    subscript(id: UInt64) -> Kept? { kept[id] }

    mutating func keep(_ outcome: DeviceRelay.Outcome, of request: DeviceRequest) {
        guard let id = request.id, kept[id] == nil, !request.isReading else { return }
        let new = Kept(request: request, outcome: outcome)
        kept[id] = new
        ids.append(id)
        captureCount += new.captureCount
        while ids.count > Self.limit || captureCount > Self.captureLimit, ids.count > 1 { dropOldest() }
    }

    private mutating func dropOldest() {
        captureCount -= kept.removeValue(forKey: ids.removeFirst())?.captureCount ?? 0
        forgotten += 1
    }
}

extension DeviceRequest {
    /// Whether the request changes nothing.
    var isReading: Bool {
        switch command {
        case .canSwitchInput, .describe, .measure, .heldSettings, .listSpool: true
        case .startSession, .stopSession, .resumeSession, .switchInput, .keepDelays, .keepStamps, .setControls,
            .setConnection, .align, .settings, .discardCaptures, nil:
            false
        }
    }
}
