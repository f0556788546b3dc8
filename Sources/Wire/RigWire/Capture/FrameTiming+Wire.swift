public import CaptureModel
public import RigProtocol

extension FrameTiming {
    public init(wire: WireFrameTiming) throws(WireError) {
        let reader = FieldReader("FrameTiming")
        let bound = try reader.number(wire.boundNs, "bound_ns", in: WireLimits.nonNegative)
        self.init(
            sequence: try reader.count(wire.sequence, "sequence"),
            localMidExposure: LocalTime(nanoseconds: wire.localMidExposureNs),
            midExposure: BoundedRigTime(time: RigTime(nanoseconds: wire.rigMidExposureNs), bound: .nanoseconds(bound)),
            skewNanoseconds: wire.skewNs,
            exposureNanoseconds: wire.hasExposureNs
                ? try reader.number(wire.exposureNs, "exposure_ns", in: WireLimits.nonNegative) : nil,
            dequeued: RigTime(nanoseconds: wire.rigDequeuedNs))
    }

    public var wire: WireFrameTiming {
        var wire = WireFrameTiming()
        wire.sequence = sequence
        wire.localMidExposureNs = localMidExposure.nanoseconds
        wire.rigMidExposureNs = midExposure.time.nanoseconds
        wire.boundNs = midExposure.boundNanoseconds
        wire.skewNs = skewNanoseconds
        if let exposureNanoseconds { wire.exposureNs = exposureNanoseconds }
        wire.rigDequeuedNs = dequeued.nanoseconds
        return wire
    }
}
