import CaptureModel
public import RigProtocol

extension FrameHeader {
    public init(wire: WireFrameHeader) throws(WireError) {
        let reader = FieldReader("FrameHeader")
        let kind = try reader.word(wire.kind, "kind", as: FrameKind.self)
        let device = try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device"))
        self.init(
            topic: FrameTopic(device: device, kind: kind), epoch: try reader.epoch(wire.epoch),
            number: try reader.count(wire.number, "number"), sequence: try reader.count(wire.sequence, "sequence"),
            midExposure: LocalTime(nanoseconds: wire.localMidExposureNs),
            stampBound: .nanoseconds(
                try reader.number(wire.stampBoundNs, "stamp_bound_ns", in: WireLimits.nonNegative)),
            exposure: wire.hasExposureNs
                ? .nanoseconds(try reader.number(wire.exposureNs, "exposure_ns", in: WireLimits.nonNegative)) : nil,
            dequeued: LocalTime(nanoseconds: wire.localDequeuedNs),
            published: LocalTime(nanoseconds: wire.localPublishedNs),
            rig: wire.hasRig ? try FrameRigTime(wire: wire.rig) : nil, format: try reader.word(wire.format, "format"),
            width: Int(try reader.number(wire.width, "width", in: WireLimits.pixels)),
            height: Int(try reader.number(wire.height, "height", in: WireLimits.pixels)),
            orientation: try reader.orientation(wire.orientationDegrees), isMirrored: wire.mirrored,
            drops: try OutputDrops(wire: wire.drops))
    }

    public var wire: WireFrameHeader {
        var wire = WireFrameHeader()
        wire.device = topic.device.wire
        wire.kind = topic.kind.rawValue
        wire.epoch = epoch.rawValue
        wire.number = number
        wire.sequence = sequence
        wire.localMidExposureNs = midExposure.nanoseconds
        wire.stampBoundNs = stampBound.nanoseconds
        if let exposure { wire.exposureNs = exposure.nanoseconds }
        wire.localDequeuedNs = dequeued.nanoseconds
        wire.localPublishedNs = published.nanoseconds
        if let rig { wire.rig = rig.wire }
        wire.format = format
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.orientationDegrees = UInt32(clamping: orientation.rawValue)
        wire.mirrored = isMirrored
        wire.drops = drops.wire
        return wire
    }
}

extension FrameRigTime {
    init(wire: WireFrameRigTime) throws(WireError) {
        let reader = FieldReader("FrameRigTime")
        let bound = try reader.number(wire.boundNs, "bound_ns", in: WireLimits.nonNegative)
        let clockBound = try reader.number(wire.clockBoundNs, "clock_bound_ns", in: WireLimits.nonNegative)
        self.init(
            clock: try reader.rigClockID(wire.rigClockID),
            midExposure: BoundedRigTime(
                time: RigTime(nanoseconds: wire.rigMidExposureNs), bound: .nanoseconds(bound)),
            clockBound: .nanoseconds(clockBound))
    }

    var wire: WireFrameRigTime {
        var wire = WireFrameRigTime()
        wire.rigClockID = clock.rawValue
        wire.rigMidExposureNs = midExposure.time.nanoseconds
        wire.boundNs = midExposure.boundNanoseconds
        wire.clockBoundNs = clockBound.nanoseconds
        return wire
    }
}

extension OutputDrops {
    init(wire: WireFrameDrops) throws(WireError) {
        let reader = FieldReader("FrameDrops")
        self.init()
        beforeOutput = try reader.count(wire.beforeOutput, "before_output")
        superseded = try reader.count(wire.superseded, "superseded")
        undecodable = try reader.count(wire.undecodable, "undecodable")
        oversized = try reader.count(wire.oversized, "oversized")
    }

    var wire: WireFrameDrops {
        var wire = WireFrameDrops()
        wire.beforeOutput = beforeOutput
        wire.superseded = superseded
        wire.undecodable = undecodable
        wire.oversized = oversized
        return wire
    }
}
