internal import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// An answer and the life of the coordinator that gave it.
    struct Answer: Sendable {
        var epoch: Epoch
        var body: WireClientReply.OneOf_Body
    }

    /// Sends a request that has one answer, and waits for it. Where that takes longer than the client's patience, it asks for signs
    /// of life meanwhile, and repeats the request where the connection has become another one.
    /// - Parameter limit: nil: the client's patience.
    func ask(
        _ body: WireClientRequest.OneOf_Body, operation: String, limit: Duration? = nil
    ) async throws(RigClientError) -> Answer {
        let limit = limit ?? patience
        let mailbox = Mailbox<WireClientReply>(limit: 4, time: time)
        let start = time.now()
        var ids: [UInt64] = []
        defer { ids.forEach(forget) }
        var askedOn = await connections
        ids.append(try await send(body, repliesTo: mailbox.slot, operation: operation))
        while true {
            switch await mailbox.next(within: min(patience, start + limit - time.now())) {
            case .letter(let reply): return try answer(reply, operation: operation)
            case .closed: throw .closed(operation: operation, endpoint: endpoint)
            case .silence:
                guard time.now() < start + limit else {
                    await reconnect(ifSilentSince: start)
                    throw .noCoordinator(endpoint, operation: operation, waited: limit)
                }
                guard (try? await status()) != nil else { continue }
                let current = await connections
                // The first connection may be made after the request was queued.
                guard current > max(askedOn, 1) else { continue }
                askedOn = current
                ids.append(try await send(body, repliesTo: mailbox.slot, operation: operation))
            }
        }
    }

    /// Checks what every reply has, and turns the coordinator's refusal into an error.
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

    /// The part of an answer that `read` takes.
    /// - Parameter read: nil where the answer is of another kind.
    func reading<Value>(
        _ answer: Answer, operation: String, _ read: (WireClientReply.OneOf_Body) throws(WireError) -> Value?
    ) throws(RigClientError) -> Value {
        let value: Value?
        do {
            value = try read(answer.body)
        } catch {
            throw .malformed(error.description, operation: operation, endpoint: endpoint)
        }
        guard let value else {
            throw .malformed("an answer to another question", operation: operation, endpoint: endpoint)
        }
        return value
    }

    private func refusal(_ problem: WireProblem, operation: String) -> RigClientError {
        let code: RigClientError.Code =
            problem.code == CaptureProblem.Code.emptySelection.rawValue ? .nothingSelected : .refused(problem.code)
        let cause = problem.message.sentence(limit: WireLimits.problemByteCount)
        return RigClientError(code, operation: operation, endpoint: endpoint, cause: cause)
    }
}
