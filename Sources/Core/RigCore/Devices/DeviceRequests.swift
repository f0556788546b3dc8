import CaptureModel

/// Requests about devices in progress, and the clients that wait for each.
///
/// | a client asks | it gets |
/// |---|---|
/// | a request that is not in progress | its outcome, once |
/// | a repeat of a request in progress | the outcome of the first one. Beyond ``waiterLimit`` the oldest, whose connection is probably gone, gets `conflict` |
/// | a repeat of a request that has ended | the same outcome, while it is kept |
///
/// ``DeviceRelay`` decides what becomes of a request. Without a clock or a socket. Bounded by the relay. Belongs to one actor, and runs on
/// it.
final class DeviceRequests {
    typealias Outcome = DeviceRelay.Outcome
    /// A client that waits for an outcome.
    typealias Waiter = AsyncStream<Outcome>.Continuation

    /// A request for a node, under the number that identifies it.
    struct Numbered: Hashable, Sendable {
        var number: UInt64
        var request: DeviceRequest
    }

    /// Number of repeats that wait for a request.
    static let waiterLimit = 8

    private var relay = DeviceRelay()
    private var waiters: [UInt64: [Waiter]] = [:]

    /// When ``DeviceRelay/Event/deadlinePassed(at:)`` is due next; nil without a request in progress.
    var nextDeadline: LocalTime? { relay.nextDeadline }

    /// The number of requests in progress.
    var count: Int { relay.count }

    /// The number of clients that wait for a request.
    func waiterCount(of number: UInt64) -> Int { waiters[number]?.count ?? 0 }

    /// Returns whether the request with this number is in progress at this node.
    func awaits(_ number: UInt64, of node: NodeName) -> Bool { relay.awaits(number, of: node) }

    /// Joins the request that this one repeats.
    /// - Returns: false if there is none, and the request is to begin.
    /// - Throws: `conflict` if another request has this id.
    func join(_ request: DeviceRequest, _ waiter: Waiter) throws(RigProblem) -> Bool {
        switch try relay.earlier(request) {
        case .underWay(let number): add(waiter, to: number, request)
        case .ended(let outcome): waiter.finish(with: outcome)
        case nil: return false
        }
        return true
    }

    /// Begins a request.
    /// - Returns: What is to be sent to its node.
    /// - Throws: `nodeUnreachable` if the node is not connected; `noMemory` if too many are in progress.
    func begin(
        _ request: DeviceRequest, for waiter: Waiter, at now: LocalTime, isConnected: Bool
    ) throws(RigProblem) -> [Numbered] {
        let (number, action) = try relay.begin(request, at: now, isConnected: isConnected)
        waiters[number] = [waiter]
        return carryOut([action])
    }

    /// Answers the clients whose request ends with an event.
    /// - Returns: What is to be sent to nodes.
    func handle(_ event: DeviceRelay.Event) -> [Numbered] { carryOut(relay.handle(event)) }

    private func carryOut(_ actions: [DeviceRelay.Action]) -> [Numbered] {
        actions.compactMap { action in
            switch action {
            case .send(let number, let request): return Numbered(number: number, request: request)
            case .finish(let number, let outcome):
                for waiter in waiters.removeValue(forKey: number) ?? [] { waiter.finish(with: outcome) }
                return nil
            }
        }
    }

    private func add(_ waiter: Waiter, to number: UInt64, _ request: DeviceRequest) {
        var waiting = waiters[number] ?? []
        if waiting.count >= Self.waiterLimit {
            let problem = RigProblem(
                .conflict, "\(request.subject): this request was repeated; the later request is answered")
            waiting.removeFirst().finish(with: .failure(problem))
        }
        waiters[number] = waiting + [waiter]
    }
}

extension AsyncStream<DeviceRelay.Outcome>.Continuation {
    /// Answers a client that waits.
    func finish(with outcome: DeviceRelay.Outcome) {
        yield(outcome)
        finish()
    }
}
