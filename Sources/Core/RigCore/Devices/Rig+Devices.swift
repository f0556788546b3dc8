import CaptureModel
import ControlMessages

/// Client requests about one device, relayed to its node.
extension Rig {
    /// Number of repeats that wait for a request. Beyond it the oldest, whose connection is probably gone, is refused.
    private static let deviceWaiterLimit = 8

    /// Relays a request to its node, or joins the request that it repeats.
    ///
    /// While somebody holds the rig, others only read.
    /// - Returns: The outcome, as the only element. Ending the stream early does not cancel the request.
    func request(_ request: DeviceRequest, by principal: Principal) async -> AsyncStream<DeviceRelay.Outcome> {
        let (outcomes, outcome) = AsyncStream.makeStream(
            of: DeviceRelay.Outcome.self, bufferingPolicy: .bufferingOldest(1))
        do throws(RigProblem) {
            switch try relay.earlier(request) {
            case .underWay(let number):
                join(outcome, number, request)
                return outcomes
            case .ended(let known):
                outcome.yield(known)
                outcome.finish()
                return outcomes
            case nil: break
            }
            if !request.isReading { try requireNotHeld(against: principal) }
        } catch {
            outcome.yield(.failure(error))
            outcome.finish()
            return outcomes
        }
        return await relayed(request)
    }

    /// Relays a request that the rig permits.
    /// - Returns: As ``request(_:by:)``.
    func relayed(_ request: DeviceRequest) async -> AsyncStream<DeviceRelay.Outcome> {
        let (outcomes, outcome) = AsyncStream.makeStream(
            of: DeviceRelay.Outcome.self, bufferingPolicy: .bufferingOldest(1))
        do throws(RigProblem) {
            guard let node = roster.nodes[request.node] else {
                throw RigProblem(
                    .unknownDevice, "the rig has no node '\(request.node)'; `capctl devices` lists the devices")
            }
            let (number, action) = try relay.begin(request, at: clock.now(), isConnected: node.agent != nil)
            deviceWaiters[number] = [outcome]
            deadlinesChanged()
            await carryOut([action])
        } catch {
            outcome.yield(.failure(error))
            outcome.finish()
        }
        return outcomes
    }

    private func join(
        _ waiter: AsyncStream<DeviceRelay.Outcome>.Continuation, _ number: UInt64, _ request: DeviceRequest
    ) {
        var waiters = deviceWaiters[number] ?? []
        if waiters.count >= Self.deviceWaiterLimit {
            let oldest = waiters.removeFirst()
            oldest.yield(
                .failure(
                    RigProblem(
                        .conflict, "\(request.subject): this request was repeated; the later request is answered")))
            oldest.finish()
        }
        deviceWaiters[number] = waiters + [waiter]
    }

    /// Processes a node's answer to a request. An answer that nobody waits for is ignored.
    ///
    /// The roster has the condition of the node's devices before the client has its answer.
    func accept(_ answer: DeviceAnswer, from node: NodeName) async {
        update(answer.devices, of: node)
        // An unrequested answer must not cost a search in the library.
        guard relay.awaits(answer.number, of: node) else { return }
        var outcome = answer.outcome
        if case .success(.spool(let listing)) = outcome { outcome = .success(.spool(await markOrphans(in: listing))) }
        await relay(.answered(answer.number, by: node, outcome))
    }

    /// Feeds an event to the relay and carries out the resulting actions.
    func relay(_ event: DeviceRelay.Event) async {
        await carryOut(relay.handle(event))
    }

    private func carryOut(_ actions: [DeviceRelay.Action]) async {
        for action in actions {
            switch action {
            case .send(let number, let request):
                let order = NumberedDeviceRequest(number: number, request: .success(request))
                await links?.send(.deviceRequest(order), to: request.node)
            case .finish(let number, let outcome):
                for waiter in deviceWaiters.removeValue(forKey: number) ?? [] {
                    waiter.yield(outcome)
                    waiter.finish()
                }
            }
        }
    }
}
