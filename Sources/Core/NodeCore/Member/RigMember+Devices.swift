import CaptureModel

/// Requests about devices, which may take as long as hardware does: each is a task of its own.
extension RigMember {
    /// Carries a request out and answers it, unless the coordinator that asked has gone meanwhile.
    func carryOut(_ request: NumberedDeviceRequest, from coordinator: Epoch) async {
        switch requests.accept(request.number, from: coordinator) {
        case .ignore:
            return
        case .answer(let answer):
            await send(answer, to: request)
        case .carryOut:
            let answer = DeviceAnswer(number: request.number, outcome: await outcome(of: request.request))
            guard requests.finish(answer, from: coordinator), membership.coordinator == coordinator else { return }
            await send(answer, to: request)
        }
    }

    private func outcome(
        of request: Result<DeviceRequest, CaptureProblem>
    ) async -> Result<DeviceReply, CaptureProblem> {
        switch request {
        case .failure(let problem):
            return .failure(problem)
        case .success(let request):
            if case .node = request.subject { return await spoolRequests.carryOut(request) }
            return await node.carryOut(request)
        }
    }

    /// An answer about a device tells how all devices stand as it is sent, also where it is a repeat.
    private func send(_ answer: DeviceAnswer, to request: NumberedDeviceRequest) async {
        guard request.isAboutDevice else {
            await send(.deviceAnswer(answer))
            return
        }
        await listing {
            var answer = answer
            answer.devices = await self.node.statuses()
            await self.send(.deviceAnswer(answer))
        }
    }
}
