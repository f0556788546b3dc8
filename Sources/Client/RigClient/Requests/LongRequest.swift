internal import CaptureModel
internal import RigProtocol
internal import RigWire

/// A request that is answered when a shot or a take has its outcome, with progress until then.
enum LongRequest: Sendable {
    case trigger(TriggerRequest)
    case stop(StopTakeRequest)

    var body: WireClientRequest.OneOf_Body {
        switch self {
        case .trigger(let request): .trigger(request.wire)
        case .stop(let request): .stopTake(request.wire)
        }
    }

    var operation: String {
        switch self {
        case .trigger(let request): request.request.settings.movie == nil ? "trigger" : "record start"
        case .stop: "record stop"
        }
    }

    /// Makes repeated requests name this shot, also if the request left the shot open.
    mutating func resolve(_ shot: ShotID) {
        if case .stop(let request) = self, request.take == nil { self = .stop(StopTakeRequest(take: shot)) }
    }

    /// How to continue if no answer has arrived.
    var advice: String {
        switch self {
        case .trigger(let request):
            "ask with `capctl shots show \(request.shot)`, or repeat the command with `--id \(request.shot)`"
        case .stop: "repeat the command, or ask with `capctl record status`"
        }
    }
}

extension RigClient {
    /// An answer and the epoch of the coordinator that gave it.
    struct Answer: Sendable {
        var epoch: Epoch
        var body: WireClientReply.OneOf_Body
    }

    /// Sends a request that has one answer, and waits for it. If that takes longer than the client's patience, it
    /// requests signs of life while it waits, and repeats the request if the connection has been replaced.
    /// - Parameter given: How long to wait, also while the coordinator is away; nil: the client's patience, and for a change,
    ///   which is answered once a disk has it, ``changeLimit`` as long as the coordinator gives signs of life.
    func ask(
        _ body: WireClientRequest.OneOf_Body, operation: String, limit given: Duration? = nil
    ) async throws(RigClientError) -> Answer {
        let limit = given ?? (body.isChange ? Self.changeLimit : patience)
        let number = UInt64.random(in: 1...UInt64.max)
        let mailbox = Mailbox<WireClientReply>(limit: 4, time: time)
        let start = time.now()
        var lastLife = start
        var ids: [UInt64] = []
        defer { ids.forEach(forget) }
        var askedOn = await connections
        ids.append(try await send(body, number: number, repliesTo: mailbox.sender, operation: operation))
        while true {
            switch await mailbox.next(within: min(Self.connectionCheck, start + limit - time.now())) {
            case .message(let reply): return try answer(reply, operation: operation)
            case .closed: throw .closed(operation: operation, endpoint: endpoint)
            case .silence:
                guard time.now() < start + limit else {
                    await reconnect(ifSilentSince: start)
                    throw given == nil && limit > patience
                        ? .late(endpoint, operation: operation, waited: limit)
                        : await noAnswer(to: operation, waited: limit)
                }
                if time.now() >= lastLife + patience {
                    let sign = await isReachable ? try? await signOfLife() : nil
                    guard sign != nil || given != nil else {
                        throw await noAnswer(to: operation, waited: time.now() - start)
                    }
                    lastLife = time.now()
                }
                let current = await connections
                // The first connection may be made after the request was queued.
                guard current > max(askedOn, 1) else { continue }
                askedOn = current
                ids.append(try await send(body, number: number, repliesTo: mailbox.sender, operation: operation))
            }
        }
    }

    /// How long a change may take of a disk that is slow. Within it, it is known what has become of the change.
    private static var changeLimit: Duration { .seconds(20) }

    /// How often a request that waits looks whether its connection was replaced, as when the coordinator ends the connections
    /// of keys that have lost their rights. An answer on the old one does not arrive.
    private static var connectionCheck: Duration { .milliseconds(250) }

    /// Checks what every reply has, and converts the coordinator's refusal into an error.
    func answer(_ reply: WireClientReply, operation: String) throws(RigClientError) -> Answer {
        guard let epoch = Epoch(rawValue: reply.epoch) else {
            throw .malformed("epoch is 0", operation: operation, endpoint: endpoint)
        }
        switch reply.body {
        case nil: throw .malformed("body is absent", operation: operation, endpoint: endpoint)
        case .failure(let failure): throw refusal(failure.problem, operation: operation)
        case .some(let body): return Answer(epoch: epoch, body: body)
        }
    }

    /// Returns the part of an answer that `read` extracts.
    /// - Parameter read: Returns nil for an answer of another kind.
    func reading<Value>(
        _ answer: Answer, operation: String, _ read: (WireClientReply.OneOf_Body) throws(WireError) -> Value?
    ) throws(RigClientError) -> Value {
        let value = try checking(operation) { () throws(WireError) in try read(answer.body) }
        guard let value else {
            throw .malformed("an answer to another request", operation: operation, endpoint: endpoint)
        }
        return value
    }

    /// Returns what `read` makes of an answer, and reports its errors as the coordinator's.
    func checking<Value>(
        _ operation: String, _ read: () throws(WireError) -> Value
    ) throws(RigClientError) -> Value {
        do {
            return try read()
        } catch {
            throw .malformed(error.description, operation: operation, endpoint: endpoint)
        }
    }

    private func refusal(_ problem: WireProblem, operation: String) -> RigClientError {
        let code: RigClientError.Code =
            problem.code == RigProblem.Code.emptySelection.rawValue ? .nothingSelected : .refused(problem.code)
        let cause = problem.message.sentence(limit: WireLimits.problemByteCount)
        return RigClientError(code, operation: operation, endpoint: endpoint, cause: cause)
    }
}
