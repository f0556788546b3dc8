import CaptureModel
import Journal
import RigCore
import RigProtocol
import RigWire

extension AgentCommand {
    /// The message that tells it to an agent.
    var wire: WireCoordinatorMessage.OneOf_Body {
        switch self {
        case .helloRequired: return .helloRequired(WireHelloRequired())
        case .prepare(let command): return .prepare(command.wire)
        case .fire(let shot, let devices, let stopTime):
            var fire = WireFire()
            fire.shotID = shot.wire
            fire.devices = devices.map(\.device.rawValue)
            if let stopTime { fire.stopRigNs = stopTime.nanoseconds }
            return .fire(fire)
        case .cancel(let shot, let devices):
            var cancel = WireCancel()
            cancel.shotID = shot.wire
            cancel.devices = devices.map(\.device.rawValue)
            return .cancel(cancel)
        case .acknowledgeEvents(let position):
            var acknowledgement = WireEventAck()
            acknowledgement.epoch = position.epoch.wire
            acknowledgement.sequence = position.sequence
            return .eventAck(acknowledgement)
        case .device(let number, let request):
            var order = WireDeviceOrder()
            order.requestID = number
            order.request = request.wire
            return .deviceOrder(order)
        case .listInventory(let after):
            var request = WireInventoryRequest()
            if let after { request.after = after.wire }
            return .inventoryRequest(request)
        }
    }
}

extension PrepareCommand {
    fileprivate var wire: WirePrepare {
        var wire = WirePrepare()
        wire.shotID = shot.wire
        wire.devices = devices.map(\.device.rawValue)
        wire.rigClockID = rigClock.rawValue
        wire.rigTimeNs = time.nanoseconds
        wire.pinnedUntilRigNs = pinnedUntil.nanoseconds
        wire.settings = settings.wire
        wire.realtimeAtTimeNs = realtimeNanoseconds
        wire.utcOffsetMinutes = Int32(clamping: utcOffsetMinutes)
        return wire
    }
}
