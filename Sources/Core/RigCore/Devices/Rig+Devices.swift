import CaptureModel
import ControlMessages

/// Client requests about one device, relayed to its node.
extension Rig {
    /// Relays a request to its node, or joins the request that it repeats.
    ///
    /// While somebody holds the rig, others only read.
    /// - Returns: The outcome, as the only element. Ending the stream early does not cancel the request.
    func request(_ request: DeviceRequest, by principal: Principal) async -> AsyncStream<DeviceRelay.Outcome> {
        let (outcomes, outcome) = AsyncStream.makeStream(
            of: DeviceRelay.Outcome.self, bufferingPolicy: .bufferingOldest(1))
        do throws(RigProblem) {
            if try deviceRequests.join(request, outcome) { return outcomes }
            if !request.isReading { try hold.requireNotHeld(against: principal) }
        } catch {
            outcome.finish(with: .failure(error))
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
                let question = Spelling.question(
                    for: request.node.rawValue, among: roster.nodes.keys.map(\.rawValue).sorted())
                throw RigProblem(
                    .unknownDevice,
                    "the rig has no node '\(request.node)'\(question); `capctl devices` lists the devices")
            }
            let order = try deviceRequests.begin(
                request, for: outcome, at: clock.now(), isConnected: node.agent != nil)
            deadlinesChanged()
            await send(order)
        } catch {
            outcome.finish(with: .failure(error))
        }
        return outcomes
    }

    /// Processes a node's answer to a request. An answer that nobody waits for is ignored.
    ///
    /// The roster has the condition of the node's devices before the client has its answer.
    func accept(_ answer: DeviceAnswer, from node: NodeName) async {
        noteChanges(nodes.update(answer.devices, of: node))
        // An unrequested answer must not cost a search in the library.
        guard deviceRequests.awaits(answer.number, of: node) else { return }
        var outcome = answer.outcome
        if case .success(.spool(let listing)) = outcome { outcome = .success(.spool(await markOrphans(in: listing))) }
        await relay(.answered(answer.number, by: node, outcome))
    }

    /// Feeds an event to the requests, and sends nodes what follows from it.
    func relay(_ event: DeviceRelay.Event) async { await send(deviceRequests.handle(event)) }

    /// Sends requests to their nodes.
    private func send(_ requests: [DeviceRequests.Numbered]) async {
        for numbered in requests {
            let order = NumberedDeviceRequest(number: numbered.number, request: .success(numbered.request))
            await links?.send(.deviceRequest(order), to: numbered.request.node)
        }
    }
}
