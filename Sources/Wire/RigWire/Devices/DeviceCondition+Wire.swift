public import CaptureModel
public import RigProtocol

extension DeviceCondition {
    public init(wire: WireDeviceCondition) throws(WireError) {
        let reader = FieldReader("DeviceCondition")
        self.init(
            state: try reader.word(wire.state, "state", as: State.self),
            reason: wire.hasReason ? wire.reason.sentence(limit: WireLimits.reasonByteCount) : nil,
            format: wire.hasFormat ? try VideoFormat(wire: wire.format) : nil,
            counters: try FrameCounters(wire: try reader.present(wire.hasCounters ? wire.counters : nil, "counters")),
            phase: try Self.phase(of: wire, reader),
            stamps: wire.hasStamps ? try CameraStamps(wire: wire.stamps) : nil,
            session: wire.hasSession ? try SessionCondition(wire: wire.session) : nil)
    }

    private static func phase(of wire: WireDeviceCondition, _ reader: FieldReader) throws(WireError) -> FramePhase? {
        guard wire.hasPhaseRigNs || wire.hasPeriodNs else { return nil }
        let phase = try reader.present(wire.hasPhaseRigNs ? wire.phaseRigNs : nil, "phase_rig_ns")
        let period = try reader.present(wire.hasPeriodNs ? wire.periodNs : nil, "period_ns")
        let bound = try reader.number(wire.phaseBoundNs, "phase_bound_ns", in: WireLimits.nonNegative)
        let periodBound = try reader.number(wire.periodBoundNs, "period_bound_ns", in: WireLimits.nonNegative)
        return FramePhase(
            midExposure: RigTime(nanoseconds: phase),
            periodNanoseconds: try reader.number(period, "period_ns", in: WireLimits.frameInterval),
            bound: wire.hasPhaseBoundNs ? .nanoseconds(bound) : nil,
            periodBound: wire.hasPeriodBoundNs ? .nanoseconds(periodBound) : nil)
    }

    public var wire: WireDeviceCondition {
        var wire = WireDeviceCondition()
        wire.state = state.rawValue
        if let reason { wire.reason = reason.sentence(limit: WireLimits.reasonByteCount) }
        if let format { wire.format = format.wire }
        wire.counters = counters.wire
        if let phase {
            wire.phaseRigNs = phase.midExposure.nanoseconds
            wire.periodNs = phase.periodNanoseconds
            if let bound = phase.boundNanoseconds { wire.phaseBoundNs = bound }
            if let bound = phase.periodBoundNanoseconds { wire.periodBoundNs = bound }
        }
        if let stamps { wire.stamps = stamps.wire }
        if let session { wire.session = session.wire }
        return wire
    }
}

extension DeviceDescription {
    public init(wire: WireDeviceDescription) throws(WireError) {
        let reader = FieldReader("DeviceDescription")
        var labels: [String] = []
        for label in try reader.list(wire.labels, "labels", limit: WireLimits.labels) {
            labels.append(try reader.word(label, "labels"))
        }
        self.init(
            id: try DeviceID(wire: try reader.present(wire.hasID ? wire.id : nil, "id")),
            mediaType: try reader.word(wire.mediaType, "media_type", as: MediaType.self),
            type: DeviceType(rawValue: try reader.word(wire.type, "type")),
            position: Position(rawValue: try reader.word(wire.position, "position")),
            labels: labels,
            purpose: wire.purpose.sentence(limit: WireLimits.purposeByteCount),
            orientation: try reader.orientation(wire.orientationDegrees),
            mirrored: wire.mirrored ? true : nil,
            driver: try reader.word(wire.driver, "driver"),
            make: wire.hasMake ? wire.make.sentence(limit: WireLimits.hardwareByteCount) : nil,
            model: wire.hasModel ? wire.model.sentence(limit: WireLimits.hardwareByteCount) : nil,
            serial: wire.hasSerial ? wire.serial.sentence(limit: WireLimits.hardwareByteCount) : nil)
    }

    public var wire: WireDeviceDescription {
        var wire = WireDeviceDescription()
        wire.id = id.wire
        wire.mediaType = mediaType.rawValue
        wire.type = type.rawValue
        wire.position = position.rawValue
        wire.labels = labels
        wire.purpose = purpose.sentence(limit: WireLimits.purposeByteCount)
        wire.orientationDegrees = UInt32(orientation.rawValue)
        wire.mirrored = mirrored == true
        wire.driver = driver
        if let make { wire.make = make.sentence(limit: WireLimits.hardwareByteCount) }
        if let model { wire.model = model.sentence(limit: WireLimits.hardwareByteCount) }
        if let serial { wire.serial = serial.sentence(limit: WireLimits.hardwareByteCount) }
        return wire
    }
}

extension DeviceRequest {
    public init(wire: WireDeviceRequest) throws(WireError) {
        let reader = FieldReader("DeviceRequest")
        let nanoseconds = try reader.number(wire.timeoutNs, "timeout_ns", in: WireLimits.deviceTimeout)
        self.init(
            try Self.subject(of: wire, reader),
            timeout: nanoseconds == 0 ? Self.defaultTimeout : .nanoseconds(nanoseconds),
            command: try wire.command.map { (command) throws(WireError) in try DeviceCommand(wire: command) },
            id: wire.id == 0 ? nil : wire.id)
    }

    private static func subject(of wire: WireDeviceRequest, _ reader: FieldReader) throws(WireError) -> Subject {
        guard !wire.node.isEmpty else {
            return .device(try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")))
        }
        guard !wire.hasDevice else { throw reader.invalid("node", "is given in addition to a device") }
        return .node(try reader.name(wire.node, "node"))
    }

    public var wire: WireDeviceRequest {
        var wire = WireDeviceRequest()
        switch subject {
        case .device(let device): wire.device = device.wire
        case .node(let node): wire.node = node.rawValue
        }
        wire.timeoutNs = timeout.nanoseconds
        wire.command = command?.wire
        wire.id = id ?? 0
        return wire
    }
}

extension DeviceStatus {
    public init(wire: WireDeviceStatus) throws(WireError) {
        let reader = FieldReader("DeviceStatus")
        self.init(
            device: try DeviceDescription(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            condition: try DeviceCondition(
                wire: try reader.present(wire.hasCondition ? wire.condition : nil, "condition")))
    }

    public var wire: WireDeviceStatus {
        var wire = WireDeviceStatus()
        wire.device = device.wire
        wire.condition = condition.wire
        return wire
    }
}

extension FrameCounters {
    public init(wire: WireFrameCounters) throws(WireError) {
        let reader = FieldReader("FrameCounters")
        self.init()
        delivered = try reader.count(wire.delivered, "delivered")
        droppedByDevice = try reader.count(wire.droppedByDevice, "dropped_by_device")
        flaggedErroneous = try reader.count(wire.flaggedErroneous, "flagged_erroneous")
        torn = try reader.count(wire.torn, "torn")
        droppedByNode = try reader.count(wire.droppedByNode, "dropped_by_node")
        stalls = try reader.count(wire.stalls, "stalls")
        trimmed = try reader.count(wire.trimmed, "trimmed")
        damaged = try reader.count(wire.damaged, "damaged")
    }

    public var wire: WireFrameCounters {
        var wire = WireFrameCounters()
        wire.delivered = delivered
        wire.droppedByDevice = droppedByDevice
        wire.flaggedErroneous = flaggedErroneous
        wire.torn = torn
        wire.droppedByNode = droppedByNode
        wire.stalls = stalls
        wire.trimmed = trimmed
        wire.damaged = damaged
        return wire
    }
}

extension VideoFormat {
    public init(wire: WireVideoFormat) throws(WireError) {
        let reader = FieldReader("VideoFormat")
        let interval = try reader.number(wire.frameIntervalNs, "frame_interval_ns", in: WireLimits.frameInterval)
        self.init(
            pixelFormat: try reader.word(wire.pixelFormat, "pixel_format", as: PixelFormat.self),
            width: Int(try reader.number(wire.width, "width", in: WireLimits.pixels)),
            height: Int(try reader.number(wire.height, "height", in: WireLimits.pixels)),
            frameInterval: .nanoseconds(interval))
    }

    public var wire: WireVideoFormat {
        var wire = WireVideoFormat()
        wire.pixelFormat = pixelFormat.rawValue
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.frameIntervalNs = frameIntervalNanoseconds
        return wire
    }
}
