import CaptureModel
import ControlMessages
import RigProtocol

extension NodeOrder {
    /// - Returns: nil for a message that is not an order.
    init?(wire: WireCoordinatorMessage.OneOf_Body?, to node: NodeName) throws(WireError) {
        switch wire {
        case .helloRequired: self = .helloRequired
        case .prepare(let prepare): self = .prepare(try PrepareOrder(wire: prepare, to: node))
        case .fire(let fire): self = .fire(try FireOrder(wire: fire, to: node))
        case .cancel(let cancel):
            let reader = FieldReader("Cancel")
            let names = try reader.list(cancel.devices, "devices", limit: WireLimits.devicesPerNode)
            self = .cancel(try reader.shotID(cancel.shotID), try reader.devices(names, of: node))
        case .eventAck(let ack):
            self = .acknowledgeEvents(try FieldReader("EventAck").position(ack.epoch, ack.sequence))
        case .inventoryRequest(let request):
            self = .listInventory(after: request.hasAfter ? try CaptureKey(wire: request.after) : nil)
        case .deviceOrder(let order): self = .deviceRequest(NumberedDeviceRequest(wire: order))
        case .welcome, .refused, .heartbeatAck, .viewers, .coordinatorKey, nil: return nil
        }
    }

    var wire: WireCoordinatorMessage.OneOf_Body {
        switch self {
        case .helloRequired: return .helloRequired(WireHelloRequired())
        case .prepare(let order): return .prepare(order.wire)
        case .fire(let order): return .fire(order.wire)
        case .cancel(let shot, let devices):
            var cancel = WireCancel()
            cancel.shotID = shot.wire
            cancel.devices = devices.map(\.device.rawValue)
            return .cancel(cancel)
        case .acknowledgeEvents(let position):
            var ack = WireEventAck()
            ack.epoch = position.epoch.wire
            ack.sequence = position.sequence
            return .eventAck(ack)
        case .listInventory(let after):
            var request = WireInventoryRequest()
            if let after { request.after = after.wire }
            return .inventoryRequest(request)
        case .deviceRequest(let request): return .deviceOrder(request.wire)
        }
    }
}

extension PrepareOrder {
    init(wire: WirePrepare, to node: NodeName) throws(WireError) {
        let reader = FieldReader("Prepare")
        let names = try reader.list(wire.devices, "devices", limit: WireLimits.devicesPerNode)
        self.init(
            shot: try reader.shotID(wire.shotID), devices: try reader.devices(names, of: node),
            time: RigTime(nanoseconds: wire.rigTimeNs), rigClock: RigClockID(rawValue: wire.rigClockID),
            pinnedUntil: RigTime(nanoseconds: wire.pinnedUntilRigNs),
            setUntil: wire.setUntilRigNs == 0 ? nil : RigTime(nanoseconds: wire.setUntilRigNs),
            settings: try PhotoSettings(wire: wire.settings), realtimeAtTime: wire.realtimeAtTimeNs,
            utcOffsetMinutes: Int(wire.utcOffsetMinutes))
    }

    var wire: WirePrepare {
        var wire = WirePrepare()
        wire.shotID = shot.wire
        wire.devices = devices.map(\.device.rawValue)
        wire.rigClockID = rigClock.rawValue
        wire.rigTimeNs = time.nanoseconds
        wire.pinnedUntilRigNs = pinnedUntil.nanoseconds
        wire.setUntilRigNs = setUntil?.nanoseconds ?? 0
        wire.settings = settings.wire
        wire.realtimeAtTimeNs = realtimeAtTime
        wire.utcOffsetMinutes = Int32(clamping: utcOffsetMinutes)
        return wire
    }
}

extension FireOrder {
    /// Devices beyond the limit are left out, and the others still make their picture.
    init(wire: WireFire, to node: NodeName) throws(WireError) {
        let reader = FieldReader("Fire")
        self.init(
            shot: try reader.shotID(wire.shotID),
            devices: try reader.devices(Array(wire.devices.prefix(WireLimits.devicesPerNode)), of: node),
            stop: wire.hasStopRigNs ? RigTime(nanoseconds: wire.stopRigNs) : nil)
    }

    var wire: WireFire {
        var wire = WireFire()
        wire.shotID = shot.wire
        wire.devices = devices.map(\.device.rawValue)
        if let stop { wire.stopRigNs = stop.nanoseconds }
        return wire
    }
}

extension NumberedDeviceRequest {
    /// An invalid request is answered and not dropped, since somebody waits for the answer.
    init(wire: WireDeviceOrder) {
        do throws(WireError) {
            self.init(number: wire.requestID, request: .success(try DeviceRequest(wire: wire.request)))
        } catch {
            self.init(number: wire.requestID, request: .failure(RigProblem(.protocolViolation, "\(error)")))
        }
    }

    /// The order; without a request if there is only a problem, which is not valid at the receiver either.
    var wire: WireDeviceOrder {
        var wire = WireDeviceOrder()
        wire.requestID = number
        if case .success(let request) = request { wire.request = request.wire }
        return wire
    }
}

extension FieldReader {
    /// Returns the ids of a node's devices from their names.
    func devices(_ names: [String], of node: NodeName) throws(WireError) -> [DeviceID] {
        try names.map { (text) throws(WireError) in DeviceID(node: node, device: try name(text, "devices")) }
    }

    func position(_ epoch: UInt64, _ sequence: UInt64) throws(WireError) -> EventPosition {
        EventPosition(epoch: try self.epoch(epoch), sequence: sequence)
    }
}
