public import CaptureModel
public import RigProtocol

extension SessionCondition {
    public init(wire: WireSessionCondition) throws(WireError) {
        let reader = FieldReader("SessionCondition")
        var demands: [SessionDemand] = []
        for demand in try reader.list(wire.demands, "demands", limit: WireLimits.labels) {
            demands.append(SessionDemand(rawValue: try reader.word(demand, "demands")))
        }
        self.init(
            phase: try reader.word(wire.phase, "phase", as: Phase.self),
            interruption: wire.interruption.isEmpty
                ? nil : try reader.word(wire.interruption, "interruption", as: InterruptionReason.self),
            authorization: try reader.word(wire.authorization, "authorization", as: AuthorizationStatus.self),
            attempt: wire.attempt == 0 ? nil : Int(wire.attempt),
            failedStep: wire.failedStep.isEmpty ? nil : wire.failedStep.sentence(limit: WireLimits.wordByteCount),
            demands: demands, isHeld: wire.held,
            readiness: try reader.word(wire.readiness, "readiness", as: CaptureReadiness.self),
            abilities: try SessionAbilities(wire: wire.abilities, reader),
            cost: wire.hasCost ? try SessionCost(wire: wire.cost) : nil,
            largerPhoto: wire.hasLargerPhoto ? try LargerPhoto(wire: wire.largerPhoto) : nil,
            livePhotosInProgress: Int(wire.livePhotosInProgress),
            recording: wire.hasRecording ? try RecordingProgress(wire: wire.recording) : nil,
            alignment: wire.hasAlignment ? try CameraAlignment(wire: wire.alignment) : nil, hasRaw: wire.hasRaw_p)
    }

    public var wire: WireSessionCondition {
        var wire = WireSessionCondition()
        wire.phase = phase.rawValue
        wire.interruption = interruption?.rawValue ?? ""
        wire.authorization = authorization.rawValue
        wire.attempt = UInt32(clamping: attempt ?? 0)
        wire.failedStep = (failedStep ?? "").sentence(limit: WireLimits.wordByteCount)
        wire.demands = demands.prefix(WireLimits.labels).map(\.rawValue)
        wire.held = isHeld
        wire.readiness = readiness.rawValue
        wire.abilities = abilities.wire
        if let cost { wire.cost = cost.wire }
        if let largerPhoto { wire.largerPhoto = largerPhoto.wire }
        wire.livePhotosInProgress = UInt32(clamping: livePhotosInProgress)
        if let recording { wire.recording = recording.wire }
        if let alignment { wire.alignment = alignment.wire }
        wire.hasRaw_p = hasRaw
        return wire
    }
}

extension SessionAbilities {
    /// Reads the abilities. Unknown names are ignored. An ability that is not listed is not allowed.
    fileprivate init(wire: [WireAbility], _ reader: FieldReader) throws(WireError) {
        self.init()
        for ability in try reader.list(wire, "abilities", limit: WireLimits.labels) {
            let reason = ability.reason.sentence(limit: WireLimits.reasonByteCount)
            let value = Ability(isAllowed: ability.allowed, reason: ability.allowed ? nil : reason)
            switch ability.name {
            case "photo": photo = value
            case "live": live = value
            case "record": record = value
            // Earlier agents say `switch`.
            case "switchInput", "switch": switchInput = value
            case "largerPhoto": largerPhoto = value
            case "raw": raw = value
            case "flash": flash = value
            default: continue
            }
        }
    }

    fileprivate var wire: [WireAbility] {
        all.map { name, ability in
            var wire = WireAbility()
            wire.name = name
            wire.allowed = ability.isAllowed
            wire.reason = (ability.reason ?? "").sentence(limit: WireLimits.reasonByteCount)
            return wire
        }
    }
}

extension SessionCost {
    fileprivate init(wire: WireSessionCost) throws(WireError) {
        let reader = FieldReader("SessionCost")
        func bytes(_ value: Int64, _ field: String) throws(WireError) -> Int64 {
            try reader.number(value, field, in: WireLimits.nonNegative)
        }
        let limit = try bytes(wire.usbLimitBytesPerSecond, "usb_limit_bytes_per_second")
        self.init(
            streamBytesPerSecond: try bytes(wire.streamBytesPerSecond, "stream_bytes_per_second"),
            ringBytes: try bytes(wire.ringBytes, "ring_bytes"),
            ringLimitBytes: try bytes(wire.ringLimitBytes, "ring_limit_bytes"),
            encodePermille: Int(wire.encodePermille),
            bus: wire.usbBus == 0 ? nil : USBBus(number: Int(wire.usbBus), limitBytesPerSecond: limit))
    }

    fileprivate var wire: WireSessionCost {
        var wire = WireSessionCost()
        wire.streamBytesPerSecond = max(streamBytesPerSecond, 0)
        wire.ringBytes = max(ringBytes, 0)
        wire.ringLimitBytes = max(ringLimitBytes, 0)
        wire.encodePermille = UInt32(clamping: encodePermille)
        wire.usbBus = UInt32(clamping: bus?.number ?? 0)
        wire.usbLimitBytesPerSecond = max(bus?.limitBytesPerSecond ?? 0, 0)
        return wire
    }
}

extension LargerPhoto {
    init(wire: WireLargerPhoto) throws(WireError) {
        let reader = FieldReader("LargerPhoto")
        self.init(
            dimensions: try PixelSize(
                wire: try reader.present(wire.hasDimensions ? wire.dimensions : nil, "dimensions")),
            leadNanoseconds: try reader.number(wire.leadNs, "lead_ns", in: WireLimits.nonNegative))
    }

    var wire: WireLargerPhoto {
        var wire = WireLargerPhoto()
        wire.dimensions = dimensions.wire
        wire.leadNs = max(leadNanoseconds, 0)
        return wire
    }
}
