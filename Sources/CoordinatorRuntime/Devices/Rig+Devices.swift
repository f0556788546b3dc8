import CaptureModel
import RigProtocol
import RigWire

/// Requests of clients about one device, handed on to its node.
extension Rig {
    /// Hands a request on to its node.
    /// - Returns: What came of it, as the only element. Ending the stream early does not take the request back.
    func request(_ order: DeviceRequest) async -> AsyncStream<DeviceRelay.Outcome> {
        let (outcomes, outcome) = AsyncStream.makeStream(
            of: DeviceRelay.Outcome.self, bufferingPolicy: .bufferingOldest(1))
        do throws(CaptureProblem) {
            guard let node = roster.nodes[order.node] else {
                throw CaptureProblem(
                    .unknownDevice, "the rig has no node '\(order.node)'; `capctl devices` lists what there is")
            }
            let (number, action) = try relay.take(order, at: clock.now(), isConnected: node.agent != nil)
            deviceWaiters[number] = outcome
            deadlinesChanged()
            await carryOut([action])
        } catch {
            outcome.yield(.failure(error))
            outcome.finish()
        }
        return outcomes
    }

    /// What a node answers to a request; one that nobody waits for any more is ignored.
    ///
    /// How the node's devices stand is in the roster before the client has its answer.
    func take(_ answer: WireDeviceAnswer, from node: NodeName) async throws(WireError) {
        try take(answer.devices, of: node, FieldReader("DeviceAnswer"))
        // An answer that nobody asked for must not cost a look into the library.
        guard relay.awaits(answer.requestID, of: node) else { return }
        let outcome: DeviceRelay.Outcome
        switch answer.outcome {
        case .reply(var reply):
            if case .spool(let listing) = reply.result {
                guard listing.captures.count <= WireLimits.inventory else {
                    throw FieldReader("SpoolListing").invalid("captures", "has more than \(WireLimits.inventory)")
                }
                reply.spool = await marked(listing)
            }
            outcome = .success(reply)
        case .problem(let problem): outcome = .failure(CaptureProblem(wire: problem))
        case nil: throw FieldReader("DeviceAnswer").invalid("outcome", "is required and absent")
        }
        await relay(.answered(answer.requestID, by: node, outcome))
    }

    /// Feeds an event to the relay and does what follows.
    func relay(_ event: DeviceRelay.Event) async {
        await carryOut(relay.handle(event))
    }

    private func carryOut(_ actions: [DeviceRelay.Action]) async {
        for action in actions {
            switch action {
            case .send(let order, let node):
                await links?.send(.deviceOrder(order), to: node)
            case .finish(let number, let outcome):
                let waiter = deviceWaiters.removeValue(forKey: number)
                waiter?.yield(outcome)
                waiter?.finish()
            }
        }
    }
}
