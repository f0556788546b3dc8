import CaptureModel
import RigProtocol
import RigWire

/// One device of a prepare, to be armed beside everything else, since its camera may be slow to answer.
struct ArmingErrand: Sendable {
    var order: PrepareOrder
    var device: DeviceName
}

/// Shots: ``CaptureLanes`` keeps the order of what is asked of one camera for one shot.
extension ControlLink {
    /// Looks at a prepare; what is left is to arm the devices that are not being armed already.
    func take(_ wire: WirePrepare) async throws -> [ArmingErrand] {
        let order = try PrepareOrder(wire)
        guard !isEnding else {
            for refusal in refusals(of: order) { await send(.prepareResult(refusal)) }
            return []
        }
        var errands: [ArmingErrand] = []
        for device in order.devices {
            switch lanes.prepare(key(order.shot, device)) {
            case .carryOut: errands.append(ArmingErrand(order: order, device: device))
            case .refuse: await send(.prepareResult(node.refusal(order, device, Self.tooMuch(device))))
            case .passOver: break
            }
        }
        return errands
    }

    /// Arms a device and tells the coordinator; cancels it instead where that has come meanwhile.
    func carryOut(_ errand: ArmingErrand) async {
        let key = key(errand.order.shot, errand.device)
        let answer = await node.prepare(errand.order, errand.device)
        guard lanes.isCancelled(key) else {
            // From here on a cancel finds the capture armed.
            lanes.finish(key)
            await send(.prepareResult(answer))
            return
        }
        await node.cancel(errand.order.shot, errand.device)
        lanes.finish(key)
    }

    func take(_ wire: WireCancel) async throws {
        let reader = FieldReader("Cancel")
        let shot = try reader.shotID(wire.shotID)
        let names = try reader.list(wire.devices, "devices", limit: WireLimits.devicesPerNode)
        for device in try names.map({ try DeviceName($0) }) where lanes.cancel(key(shot, device)) == .carryOut {
            await node.cancel(shot, device)
        }
    }

    private func key(_ shot: ShotID, _ device: DeviceName) -> CaptureKey {
        CaptureKey(shot: shot, device: DeviceID(node: identity.node, device: device))
    }

    private static func tooMuch(_ device: DeviceName) -> CaptureProblem {
        CaptureProblem(
            .noMemory,
            "'\(device)' has not answered for \(CaptureLanes.limit) shots yet; wait until some of them have ended")
    }
}
