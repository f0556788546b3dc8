import CaptureModel
import NodeCore
import RigProtocol
import RigSecurity
import RigWire

extension MessageHeader {
    init(_ wire: WireCoordinatorMessage, to epoch: Epoch) {
        self.init(coordinator: Epoch(rawValue: wire.epoch), isForThisLife: wire.agentEpoch == epoch.rawValue)
    }
}

extension CoordinatorMessage {
    /// - Returns: nil for a kind of message that this version does not know.
    /// - Throws: If a field is not valid.
    init?(_ wire: WireCoordinatorMessage) throws {
        switch wire.body {
        case .helloRequired: self = .helloRequired
        case .welcome(let welcome): self = .welcome(try JoinedCoordinator(welcome))
        case .refused(let refused): self = .refused(RigProblem(wire: refused.problem))
        case .heartbeatAck: self = .heartbeatAcknowledged
        case .prepare(let prepare): self = .prepare(try PrepareOrder(prepare))
        case .fire(let fire): self = .fire(try FireOrder(fire))
        case .cancel(let cancel):
            let reader = FieldReader("Cancel")
            let names = try reader.list(cancel.devices, "devices", limit: WireLimits.devicesPerNode)
            self = .cancel(try reader.shotID(cancel.shotID), try names.map { try DeviceName($0) })
        case .eventAck(let ack):
            self = .acknowledge(try FieldReader("EventAck").epoch(ack.epoch), through: ack.sequence)
        case .inventoryRequest(let request):
            self = .listInventory(after: request.hasAfter ? try CaptureKey(wire: request.after) : nil)
        case .deviceOrder(let order): self = .deviceRequest(NumberedDeviceRequest(order))
        case .viewers(let viewers): self = .viewers(try AdmittedViewers(viewers))
        case .coordinatorKey, nil: return nil
        }
    }
}

extension JoinedCoordinator {
    init(_ welcome: WireWelcome) throws(WireError) {
        let reader = FieldReader("Welcome")
        let ports: ClosedRange<Int64> = 1...Int64(UInt16.max)
        let interval = try reader.number(
            welcome.heartbeatIntervalNs, "heartbeat_interval_ns", in: 10_000_000...60_000_000_000)
        self.init(
            clockPort: UInt16(clamping: try reader.number(welcome.clockPort, "clock_port", in: ports)),
            collectPort: UInt16(clamping: try reader.number(welcome.collectPort, "collect_port", in: ports)),
            heartbeatInterval: .nanoseconds(interval),
            heartbeatTimeout: .nanoseconds(
                try reader.number(welcome.heartbeatTimeoutNs, "heartbeat_timeout_ns", in: interval...600_000_000_000)))
    }
}

extension AdmittedViewers {
    init(_ wire: WireViewers) throws(WireError) {
        let reader = FieldReader("Viewers")
        self.init(
            revision: try reader.count(wire.revision, "revision"),
            holders: try reader.list(wire.holders, "holders", limit: WireLimits.viewers).map {
                (holder) throws(WireError) in try KeyHolder(wire: holder)
            })
    }
}

extension PrepareOrder {
    init(_ wire: WirePrepare) throws {
        let reader = FieldReader("Prepare")
        self.init(
            shot: try reader.shotID(wire.shotID),
            devices: try reader.list(wire.devices, "devices", limit: WireLimits.devicesPerNode).map {
                try DeviceName($0)
            }, time: RigTime(nanoseconds: wire.rigTimeNs), rigClock: RigClockID(rawValue: wire.rigClockID),
            pinnedUntil: RigTime(nanoseconds: wire.pinnedUntilRigNs),
            setUntil: wire.setUntilRigNs == 0 ? nil : RigTime(nanoseconds: wire.setUntilRigNs),
            settings: try PhotoSettings(wire: wire.settings),
            realtimeAtTime: wire.realtimeAtTimeNs, utcOffsetMinutes: Int(wire.utcOffsetMinutes))
    }
}

extension FireOrder {
    init(_ wire: WireFire) throws {
        self.init(
            shot: try FieldReader("Fire").shotID(wire.shotID),
            devices: try wire.devices.prefix(WireLimits.devicesPerNode).map { try DeviceName($0) },
            stop: wire.hasStopRigNs ? RigTime(nanoseconds: wire.stopRigNs) : nil)
    }
}

extension NumberedDeviceRequest {
    /// An invalid request is answered and not dropped, since somebody waits for the answer.
    init(_ wire: WireDeviceOrder) {
        do throws(WireError) {
            self.init(number: wire.requestID, request: .success(try DeviceRequest(wire: wire.request)))
        } catch {
            self.init(
                number: wire.requestID, request: .failure(RigProblem(.protocolViolation, "\(error)")))
        }
    }
}
