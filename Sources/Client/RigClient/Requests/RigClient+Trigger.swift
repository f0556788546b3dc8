public import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// Takes one picture of one instant.
    ///
    /// When nothing has been heard for the client's patience, the client asks for a sign of life, and repeats the
    /// request under the same id where the connection or the coordinator's life is another one; so it survives a
    /// restart of the coordinator, which takes a shot on only once. It ends with ``TriggerUpdate/answered(_:)``, or
    /// throws ``RigClientError``: `noCoordinator` when nothing was ever heard, `lostCoordinator` when something was and
    /// then no sign of life for five times the patience, or no answer although the time has passed that the coordinator
    /// has told for it. Ending the stream early does not end the shot.
    public nonisolated func trigger(_ request: TriggerRequest) -> AsyncThrowingStream<TriggerUpdate, any Error> {
        // Progress is only for showing, so the newest counts; the answer is the last element and never dropped.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            // Unstructured, because a stream has no task of its own; it ends with the stream.
            let task = Task {
                do {
                    try await self.run(.trigger(request)) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func run(
        _ errand: ShotErrand, _ tell: @Sendable (TriggerUpdate) -> Void
    ) async throws(RigClientError) {
        var errand = errand
        let mailbox = Mailbox<WireClientReply>(limit: 64, time: time)
        var vigil = TriggerVigil(
            start: time.now(), patience: patience, answerLimit: answerLimit(of: errand, coordinators: nil))
        var ids: [UInt64] = []
        defer { ids.forEach(forget) }
        vigil.asked(on: await connections, at: time.now())
        ids.append(try await send(errand.body, repliesTo: mailbox.slot, operation: errand.operation))
        while true {
            switch await mailbox.next(within: patience) {
            case .letter(let reply):
                let update = try update(of: reply, errand.operation)
                vigil.heard(from: reply.epoch, at: time.now(), answerWithin: update?.answerWithin)
                if let update {
                    tell(update)
                    if case .progress(let progress) = update { errand.settleOn(progress.shot) }
                    if case .answered = update { return }
                }
            case .silence:
                // Where nobody is connected there is nobody to be asked for a sign.
                let isConnected = await connections > 0
                if !isConnected || vigil.verdict(at: time.now()) != .neverHeard { try check(vigil, errand) }
                guard let sign = try? await status() else {
                    try check(vigil, errand)
                    continue
                }
                let needsRepeat = vigil.needsRepeat(
                    epoch: sign.coordinatorEpoch.rawValue, connections: await connections)
                vigil.signed(
                    by: sign.coordinatorEpoch.rawValue, at: time.now(),
                    answerLimit: sign.triggerTimeout.map { answerLimit(of: errand, coordinators: $0) })
                guard needsRepeat else { continue }
                tell(.repeated)
                vigil.asked(on: await connections, at: time.now())
                ids.append(try await send(errand.body, repliesTo: mailbox.slot, operation: errand.operation))
            case .closed:
                throw .closed(operation: errand.operation, endpoint: endpoint)
            }
        }
    }

    private func update(
        of reply: WireClientReply, _ operation: String
    ) throws(RigClientError) -> TriggerUpdate? {
        let answer = try answer(reply, operation: operation)
        return try reading(answer, operation: operation) { body throws(WireError) in
            switch body {
            case .progress(let progress): .progress(try ShotProgress(wire: progress))
            case .shot(let document): .answered(try LocatedShot(wire: document))
            default: nil
            }
        }
    }

    private func check(_ vigil: TriggerVigil, _ errand: ShotErrand) throws(RigClientError) {
        let cause: String
        switch vigil.verdict(at: time.now()) {
        case .goOn: return
        case .neverHeard: throw .noCoordinator(endpoint, operation: errand.operation, waited: patience)
        case .silent:
            cause =
                "the coordinator at \(endpoint) has given no sign of life for \(patience * TriggerVigil.silenceLimit); once it runs again, \(errand.advice)"
        case .overdue:
            cause =
                "the coordinator at \(endpoint) lives and has not answered in the time that its timeout allows; \(errand.advice)"
        }
        throw RigClientError(.lostCoordinator, operation: errand.operation, endpoint: endpoint, cause: cause)
    }

    /// From taking the request on to the answer: until T, then the timeout.
    /// - Parameter timeout: The coordinator's own, for a request that names none; nil where it has not told.
    private func answerLimit(of errand: ShotErrand, coordinators timeout: Duration?) -> Duration {
        // Movies may be long, and signs of life are asked for meanwhile.
        guard case .trigger(let request) = errand else { return .seconds(86_400) }
        let ahead: Duration
        switch request.request.time {
        case .soon(let lead): ahead = .nanoseconds(lead ?? 0)
        case .relative(let nanoseconds): ahead = .nanoseconds(nanoseconds)
        case .absolute(let realtime):
            ahead = .nanoseconds(realtime) - .nanoseconds(time.wallClockPair().realtimeNanoseconds)
        }
        return max(.zero, ahead) + (request.timeout ?? timeout ?? .seconds(10))
    }
}
