import CaptureModel

/// One device of a prepare, to be armed beside everything else, since its camera may be slow to answer.
struct ArmingRequest: Sendable {
    var order: PrepareOrder
    var device: DeviceName
}

/// Shots: ``CapturesBeingArmed`` keeps the order of what is asked of one camera for one shot.
extension RigMember {
    /// Looks at a prepare; what is left is to arm the devices that are not being armed already.
    func accept(_ order: PrepareOrder) async -> [ArmingRequest] {
        guard !isShuttingDown else {
            for device in order.devices {
                let key = key(order.shot, device)
                await send(.prepareResult(PrepareResult(key: key, outcome: .failure(Self.shuttingDown(key.device)))))
            }
            return []
        }
        var requests: [ArmingRequest] = []
        for device in order.devices {
            let key = key(order.shot, device)
            switch arming.prepare(key) {
            case .carryOut: requests.append(ArmingRequest(order: order, device: device))
            case .refuse:
                await send(.prepareResult(PrepareResult(key: key, outcome: .failure(Self.tooMany(device)))))
            case .passOver: break
            }
        }
        return requests
    }

    /// Arms a device and tells the coordinator; cancels it instead where that has come meanwhile.
    func carryOut(_ request: ArmingRequest) async {
        let key = key(request.order.shot, request.device)
        let outcome = await node.prepare(request.order, request.device)
        guard arming.isCancelled(key) else {
            // From here on a cancel finds the capture armed.
            arming.finish(key)
            await send(.prepareResult(PrepareResult(key: key, outcome: outcome)))
            return
        }
        await node.cancel(key.shot, request.device)
        arming.finish(key)
    }

    func cancel(_ shot: ShotID, _ devices: [DeviceName]) async {
        for device in devices where arming.cancel(key(shot, device)) == .carryOut {
            await node.cancel(shot, device)
        }
    }

    /// Makes the pictures of all devices at a time and tells each as it is there.
    func carryOut(_ order: FireOrder) async {
        await withDiscardingTaskGroup { group in
            for device in order.devices {
                group.addTask {
                    if let stop = order.stop { await self.node.stop(order.shot, device, at: stop) }
                    guard let result = await self.node.fire(order.shot, device) else { return }
                    await self.send(.captureResult(result))
                }
            }
        }
    }

    private func key(_ shot: ShotID, _ device: DeviceName) -> CaptureKey {
        CaptureKey(shot: shot, device: DeviceID(node: identity.node, device: device))
    }

    private static func tooMany(_ device: DeviceName) -> CaptureProblem {
        CaptureProblem(
            .noMemory,
            "'\(device)' has not answered for \(CapturesBeingArmed.limit) shots yet; wait until some of them have ended"
        )
    }
}
